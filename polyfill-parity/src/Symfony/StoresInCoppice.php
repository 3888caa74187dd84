<?php

declare(strict_types=1);

namespace Coppice\Symfony;

use Coppice\Cache;
use Coppice\CacheException;
use Coppice\Pending;
use Coppice\SerializationException;
use Psr\Cache\CacheItemInterface;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Exception\InvalidArgumentException;

/**
 * What CoppiceAdapter and CoppiceTagAwareAdapter share: reads and removals, and get(), which computes under a lease of the owner's.
 *
 * @internal
 */
trait StoresInCoppice
{
    private readonly Cache $cache;
    private readonly object $miss;
    private readonly int $lifetime;
    private bool $mayBeDeferred = false;

    /**
     * A cache for an adapter: what Cache::open() takes. Failures are thrown, so that Symfony logs them; the adapter's callers get misses and
     * false.
     *
     * @param array<string, mixed> $options
     */
    public static function createConnection(#[\SensitiveParameter] string $dsn, #[\SensitiveParameter] array $options = []): Cache
    {
        return Cache::open($dsn, $options + ['on_error' => 'throw']);
    }

    /** The cache itself. */
    public function cache(): Cache
    {
        return $this->cache;
    }

    public function saveDeferred(CacheItemInterface $item): bool
    {
        $this->mayBeDeferred = true;
        return parent::saveDeferred($item);
    }

    public function commit(): bool
    {
        $this->mayBeDeferred = false;
        return parent::commit();
    }

    /**
     * One caller in the whole host computes what is missing, in long-lived workers as well; the others wait for it at the owner. What is
     * invalidated while it is computed is not stored.
     *
     * @param callable(CacheItem, bool &$save): mixed $callback
     * @param ?array<mixed> $metadata
     */
    public function get(string $key, callable $callback, ?float $beta = null, ?array &$metadata = null): mixed
    {
        $beta ??= 1.0;
        if (!($beta >= 0)) {
            throw new InvalidArgumentException(sprintf('beta can\'t be %g; it is 0 or more', $beta));
        }
        $id = $this->idOf($key);
        if ($this->mayBeDeferred) {
            $this->commit();
        }
        // A hit that nobody wants to renew needs no more than the value.
        if ($beta !== INF) {
            try {
                $stored = $this->cache->get($id, $this->miss);
            } catch (CacheException) {
                $stored = $this->miss;  // the way below says so
            }
            if ($stored !== $this->miss) {
                $value = null;
                $metadata = $this->glance($stored, $value);
                if ($metadata !== null) {
                    if (!isset($metadata[CacheItem::METADATA_CTIME]) || !self::isElected($metadata, $beta)) {
                        return $value;
                    }
                    $beta = INF;
                }
            }
        }
        return $this->compute($key, $id, $callback, $beta, $metadata);
    }

    /**
     * Whether a value is to be computed before its time (XFetch), the earlier the longer that takes.
     *
     * @param array<mixed> $metadata
     */
    private static function isElected(array $metadata, float $beta): bool
    {
        $expiry = $metadata[CacheItem::METADATA_EXPIRY] ?? null;
        $milliseconds = $metadata[CacheItem::METADATA_CTIME];
        if (!is_numeric($expiry) || !is_numeric($milliseconds)) {
            return false;
        }
        return $expiry <= microtime(true) - $milliseconds / 1000 * $beta * log(random_int(1, PHP_INT_MAX) / PHP_INT_MAX);
    }

    /**
     * @param callable(CacheItem, bool &$save): mixed $callback
     * @param ?array<mixed> $metadata
     */
    private function compute(string $key, string $id, callable $callback, float $beta, ?array &$metadata): mixed
    {
        $metadata = [];
        $stored = $this->miss;
        $isCalled = $isComputed = $isWatched = $isLost = false;
        $value = null;
        $compute = function (Pending $pending) use ($key, $callback, &$metadata, &$isCalled, &$isComputed, &$isWatched, &$isLost, &$value): mixed {
            $item = $this->getItem($key);
            $metadata = $item->getMetadata();
            $began = microtime(true);
            $save = true;
            $isCalled = true;
            $value = $callback($item, $save);
            $isComputed = true;
            $item->set($value);
            ItemAccess::noteComputed($item, $began, $metadata);
            if (!$save) {
                $pending->skip();
                return null;
            }
            $pending->ttl(ItemAccess::ttl($item, $this->lifetime));
            // What can't be stored is Symfony's to log, and no warning.
            $previous = null;
            $previous = set_error_handler(static function (int $level, string $text, string $file, int $line) use (&$previous, &$isLost): bool {
                if (str_contains($text, 'remember() returns a value that it could not store: ')) {
                    return $isLost = true;
                }
                return $previous !== null && $previous($level, $text, $file, $line) !== false;
            });
            $isWatched = true;
            return $this->packed($item, $pending);
        };
        try {
            // Whoever is elected waits for nobody.
            $stored = $this->cache->remember($id, null, $compute, $beta, 0, $beta === INF ? 0 : 5);
        } catch (CacheException $e) {
            if ($isCalled && !$isComputed) {
                throw $e;  // the callback's own
            }
            $this->note($isComputed ? 'The value computed for "{key}" is not kept: ' : 'The cache was not asked for "{key}": ', $key, $e);
            if (!$isComputed) {
                $save = true;
                return $callback($this->itemOf($key, $this->miss), $save);
            }
        } finally {
            if ($isWatched) {
                restore_error_handler();
            }
        }
        if ($isLost) {
            $this->note('The value computed for "{key}" is not kept: it can\'t be stored, being of type ' . get_debug_type($value), $key, null);
        }
        if ($isComputed) {
            return $value;
        }
        $item = $this->itemOf($key, $stored);
        $metadata = $item->getMetadata();
        return $item->get();
    }

    public function prune(): bool
    {
        try {
            $this->cache->prune();
            return true;
        } catch (CacheException $e) {
            $this->note('The cache was not pruned: ', '', $e);
            return false;
        }
    }

    private function note(string $message, string $key, ?CacheException $e): void
    {
        CacheItem::log($this->logger, $message . $e?->getMessage(), ['key' => $key, 'exception' => $e, 'cache-adapter' => get_debug_type($this)]);
    }

    /**
     * @param array<string> $ids
     * @return iterable<string, mixed>
     */
    protected function doFetch(array $ids): iterable
    {
        if (count($ids) === 1) {
            $id = (string) reset($ids);
            $value = $this->cache->get($id, $this->miss);
            return $value === $this->miss ? [] : [$id => $this->opened($value)];
        }
        $ids = array_map(strval(...), array_values($ids));
        $found = [];
        try {
            foreach ($this->cache->getMultiple($ids, $this->miss) as $id => $value) {
                if ($value !== $this->miss) {
                    $found[$id] = $this->opened($value);
                }
            }
        } catch (SerializationException) {
            // One that can't be decoded is no reason to lose the others.
            foreach ($ids as $id) {
                try {
                    $value = $this->cache->get($id, $this->miss);
                } catch (SerializationException $e) {
                    $this->note('What is stored as "{key}" counts as a miss: ', $id, $e);
                    continue;
                }
                if ($value !== $this->miss) {
                    $found[$id] = $this->opened($value);
                }
            }
        }
        return $found;
    }

    protected function doHave(string $id): bool
    {
        return $this->cache->has($id);
    }

    protected function doClear(string $namespace): bool
    {
        if ($namespace === '') {
            return $this->cache->clear();
        }
        $this->cache->deletePrefix($namespace);
        return true;
    }

    /** @param array<string> $ids */
    protected function doDelete(array $ids): bool
    {
        return $this->cache->deleteMultiple(array_map(strval(...), $ids));
    }
}
