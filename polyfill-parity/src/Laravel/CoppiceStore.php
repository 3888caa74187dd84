<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Coppice\Cache;
use Coppice\CacheException;
use Coppice\ConnectionException;
use Coppice\Pending;
use Coppice\RefusedException;
use Coppice\SerializationException;
use Illuminate\Cache\TaggableStore;
use Illuminate\Contracts\Cache\LockProvider;

/**
 * A cache store of Laravel's, on whichever implementation of the cache: atomic add() and counters, tags and locks that are the
 * cache's own, and removal by prefix.
 *
 * As everywhere in Laravel, null is a miss. Of a cache opened with on_error=throw that is full or away, a store with an $onFailure tells
 * that once a minute, and gives misses and false; counters and locks fail loudly. Without one everything does.
 */
class CoppiceStore extends TaggableStore implements LockProvider
{
    /** How a tag of this store is told from those of other users of the same database. */
    private const TAG = ':laravel:';

    private readonly Cache $cache;
    private const SILENCE_SECONDS = 60;

    /** @var array<string, float> when a failure was last told, by its class */
    private static array $told = [];
    /** @var list<string> of everything that this view of the store writes */
    private array $tags = [];

    /**
     * @param bool $allowLocal locks also of a cache that no other process sees
     * @param ?\Closure(CacheException): void $onFailure
     */
    public function __construct(
        Cache $cache,
        private readonly string $prefix = '',
        private readonly bool $allowLocal = false,
        private ?\Closure $onFailure = null,
    ) {
        $this->cache = $prefix === '' ? $cache : $cache->prefix($prefix);
    }

    /** The cache behind this store, its prefix included. */
    public function cache(): Cache
    {
        return $this->cache;
    }

    /** The same store, of which every failure is an exception: for what must not be lost in silence, such as sessions. */
    public function strict(): static
    {
        $store = clone $this;
        $store->onFailure = null;
        return $store;
    }

    /**
     * Tells a failure, for which there is a harmless answer, or throws it.
     *
     * @throws CacheException
     */
    public function failed(CacheException $e): void
    {
        if ($this->onFailure === null) {
            throw $e;
        }
        $now = microtime(true);
        if ($now - (self::$told[$e::class] ?? 0.0) >= self::SILENCE_SECONDS) {
            self::$told[$e::class] = $now;
            ($this->onFailure)($e);
        }
    }

    /** @param string $key */
    public function get($key): mixed
    {
        try {
            return $this->cache->get((string) $key);
        } catch (ConnectionException|RefusedException|SerializationException $e) {
            $this->failed($e);
            return null;
        }
    }

    /**
     * @param array<string|int> $keys
     * @return array<string|int, mixed>
     */
    public function many(array $keys): array
    {
        $values = [];
        try {
            foreach ($this->cache->getMultiple($keys) as $key => $value) {
                $values[$key] = $value;
            }
        } catch (ConnectionException|RefusedException|SerializationException $e) {
            $this->failed($e);
            // One that can't be decoded is no reason to lose the others.
            foreach ($keys as $key) {
                $values[$key] = $e instanceof SerializationException ? $this->get((string) $key) : null;
            }
        }
        return $values;
    }

    /**
     * @param string $key
     * @param mixed $value
     * @param int $seconds
     */
    public function put($key, $value, $seconds): bool
    {
        try {
            return $this->cache->set((string) $key, $value, max(1, $seconds), $this->tags);
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /**
     * @param array<string|int, mixed> $values
     * @param int $seconds
     */
    public function putMany(array $values, $seconds): bool
    {
        try {
            return $this->cache->setMultiple($values, max(1, $seconds), $this->tags);
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /**
     * @param string $key
     * @param mixed $value
     * @param int $seconds
     */
    public function add($key, $value, $seconds): bool
    {
        try {
            return $this->cache->add((string) $key, $value, max(1, $seconds), $this->tags);
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /**
     * @param string $key
     * @param int $seconds
     */
    public function touch($key, $seconds): bool
    {
        try {
            return $this->cache->touch((string) $key, max(1, $seconds));
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /**
     * @param string $key
     * @param int $value
     */
    public function increment($key, $value = 1): int
    {
        $this->begin((string) $key);
        return $this->cache->increment((string) $key, (int) $value);
    }

    /**
     * @param string $key
     * @param int $value
     */
    public function decrement($key, $value = 1): int
    {
        $this->begin((string) $key);
        return $this->cache->decrement((string) $key, (int) $value);
    }

    /** A counter keeps its tags, but is not given any. */
    private function begin(string $key): void
    {
        if ($this->tags !== []) {
            $this->cache->add($key, 0, null, $this->tags);
        }
    }

    /**
     * @param string $key
     * @param mixed $value
     */
    public function forever($key, $value): bool
    {
        try {
            return $this->cache->set((string) $key, $value, null, $this->tags);
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /**
     * Whether there was one.
     *
     * @param string $key
     */
    public function forget($key): bool
    {
        // Ended rather than deleted: that tells in the same step whether it was there.
        try {
            return $this->cache->touch((string) $key, 0);
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /** Removes what this store's prefix covers, and nothing else of the database. */
    public function flush(): bool
    {
        try {
            return $this->cache->clear();
        } catch (ConnectionException|RefusedException $e) {
            $this->failed($e);
            return false;
        }
    }

    /** Removes every key that begins with $prefix, at the cost of what it holds; answers how many. */
    public function deletePrefix(string $prefix): int
    {
        return $this->cache->deletePrefix($prefix);
    }

    public function getPrefix(): string
    {
        return $this->prefix;
    }

    // ---- computing under a lease

    /**
     * The value; on a miss what $compute returns, once in the whole host; see Coppice\Cache::remember().
     *
     * @param callable(Pending): mixed $compute says by its Pending how long the value is kept
     */
    public function remember(string $key, callable $compute, ?int $seconds = null, int $stale = 0): mixed
    {
        $tags = $this->tags;
        // Early refreshes are not what Laravel's callers expect.
        return $this->cache->remember($key, $seconds, static function (Pending $pending) use ($compute, $tags): mixed {
            if ($tags !== []) {
                $pending->tags(...$tags);
            }
            return $compute($pending);
        }, 0.0, (float) $stale);
    }

    // ---- tags

    /**
     * @param mixed $names
     * @return CoppiceTaggedCache
     */
    public function tags($names)
    {
        $names = array_values(array_map(static fn (mixed $name): string => is_scalar($name) || $name instanceof \Stringable ? (string) $name : get_debug_type($name), is_array($names) ? $names : func_get_args()));
        $store = clone $this;
        $store->tags = $this->tagsOf($names);
        return new CoppiceTaggedCache($store, new CoppiceTagSet($store, $names));
    }

    /** @param list<string> $names */
    public function invalidateTags(array $names): int
    {
        return $this->cache->invalidateTags(...$this->tagsOf($names));
    }

    /**
     * @param list<string> $names
     * @return list<string>
     */
    private function tagsOf(array $names): array
    {
        return array_map(fn (string $name): string => $this->prefix . self::TAG . $name, $names);
    }

    // ---- locks

    /**
     * @param string $name
     * @param int $seconds 0: until it is released
     * @param ?string $owner
     */
    public function lock($name, $seconds = 0, $owner = null): CoppiceLock
    {
        if (!$this->allowLocal && !$this->cache->isShared()) {
            throw new \LogicException("A local cache is this process's alone, and so are its locks: use an owner's, or set allow_local.");
        }
        return new CoppiceLock($this->cache, (string) $name, (int) $seconds, $owner);
    }

    /**
     * @param string $name
     * @param string $owner
     */
    public function restoreLock($name, $owner): CoppiceLock
    {
        return $this->lock($name, 0, $owner);
    }

    /** Frees every lock whose name this store's prefix covers. */
    public function flushLocks(): bool
    {
        return $this->cache->flushLocks();
    }
}
