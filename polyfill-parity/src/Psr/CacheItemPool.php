<?php

declare(strict_types=1);

namespace Coppice\Psr;

use Coppice\Cache;
use Coppice\CacheException;
use Coppice\InvalidKeyException;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\CacheItemPoolInterface;

/**
 * PSR-6 on a cache, whichever implementation it is of:
 *
 *   $pool = new Coppice\Psr\CacheItemPool(Coppice\Cache::open('unix:///run/coppice/coppice.sock'));
 *
 * Fits psr/cache 1 to 3. Deferred items are saved by commit(), and when the pool goes. What the PSR reserves in keys is refused; a cache
 * that is full or away gives misses and false, or a CachePoolException where it was opened with on_error=throw.
 */
final class CacheItemPool implements CacheItemPoolInterface
{
    /** @var array<CacheItem> by key */
    private array $deferred = [];
    /** What a miss is told by: no value of a cache. */
    private readonly object $miss;

    public function __construct(private readonly Cache $cache)
    {
        $this->miss = new \stdClass();
    }

    public function __destruct()
    {
        $this->commit();
    }

    /** The cache itself: tags, prefixes, locks and what else PSR-6 has not. */
    public function cache(): Cache
    {
        return $this->cache;
    }

    /** @param string $key */
    public function getItem($key): CacheItemInterface
    {
        $key = self::key($key);
        if ($this->deferred !== [] && ($item = $this->deferredItem($key)) !== null) {
            return $item;
        }
        try {
            $value = $this->cache->get($key, $this->miss);
        } catch (CacheException $e) {
            throw self::said($e);
        }
        return $value === $this->miss ? new CacheItem($key, null, false) : new CacheItem($key, $value, true);
    }

    /**
     * @param array<mixed> $keys
     * @return iterable<string, CacheItemInterface>
     */
    public function getItems(array $keys = []): iterable
    {
        $asked = [];
        foreach ($keys as $key) {
            $asked[] = self::key($key);
        }
        try {
            $values = $this->cache->getMultiple($asked, $this->miss);
        } catch (CacheException $e) {
            throw self::said($e);
        }
        // Read already; handed out with string keys, whatever they look like.
        return (function () use ($values): \Generator {
            foreach ($values as $key => $value) {
                yield $key => $this->deferredItem($key) ?? ($value === $this->miss ? new CacheItem($key, null, false) : new CacheItem($key, $value, true));
            }
        })();
    }

    /** @param string $key */
    public function hasItem($key): bool
    {
        $key = self::key($key);
        if (isset($this->deferred[$key])) {
            return $this->deferredItem($key)?->isHit() ?? false;
        }
        try {
            return $this->cache->has($key);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    public function clear(): bool
    {
        $this->deferred = [];
        try {
            return $this->cache->clear();
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /** @param string $key */
    public function deleteItem($key): bool
    {
        return $this->deleteItems([$key]);
    }

    /** @param array<mixed> $keys */
    public function deleteItems(array $keys): bool
    {
        $checked = [];
        foreach ($keys as $key) {
            $checked[] = self::key($key);
        }
        foreach ($checked as $key) {
            unset($this->deferred[$key]);
        }
        try {
            return $this->cache->deleteMultiple($checked);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    public function save(CacheItemInterface $item): bool
    {
        if (!$item instanceof CacheItem) {
            return false;
        }
        unset($this->deferred[$item->getKey()]);
        try {
            return $this->cache->set($item->getKey(), $item->get(), $item->ttl());
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    public function saveDeferred(CacheItemInterface $item): bool
    {
        if (!$item instanceof CacheItem) {
            return false;
        }
        $this->deferred[$item->getKey()] = clone $item;
        return true;
    }

    public function commit(): bool
    {
        // Those that end together are stored together.
        $groups = [];
        foreach ($this->deferred as $key => $item) {
            $groups[(string) $item->expiry()][$key] = $item;
        }
        $this->deferred = [];
        $good = true;
        foreach ($groups as $items) {
            $values = array_map(static fn (CacheItem $item): mixed => $item->get(), $items);
            try {
                $good = $this->cache->setMultiple($values, reset($items)->ttl()) && $good;
            } catch (CacheException $e) {
                throw self::said($e);
            }
        }
        return $good;
    }

    /** What getItem() gives for a deferred item; null: there is none. One that is over is a miss. */
    private function deferredItem(string $key): ?CacheItem
    {
        $item = $this->deferred[$key] ?? null;
        if ($item === null) {
            return null;
        }
        $ttl = $item->ttl();
        return $ttl !== null && $ttl <= 0 ? new CacheItem($key, null, false) : $item->saved();
    }

    private static function key(mixed $key): string
    {
        return is_string($key) && Keys::fault($key) === null ? $key : throw new CachePoolInvalidArgumentException((string) Keys::fault($key));
    }

    private static function said(CacheException $e): \Throwable
    {
        return $e instanceof InvalidKeyException
            ? new CachePoolInvalidArgumentException($e->getMessage(), 0, $e)
            : new CachePoolException($e->getMessage(), 0, $e);
    }
}
