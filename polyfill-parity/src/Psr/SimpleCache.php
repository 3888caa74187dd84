<?php

declare(strict_types=1);

namespace Coppice\Psr;

use Coppice\Cache;
use Coppice\CacheException;
use Coppice\InvalidKeyException;
use Psr\SimpleCache\CacheInterface;

/**
 * PSR-16 on a cache, whichever implementation it is of:
 *
 *   $psr = new Coppice\Psr\SimpleCache(Coppice\Cache::open('unix:///run/coppice/coppice.sock'));
 *
 * Fits psr/simple-cache 1 to 3. What that reserves in keys is refused; a cache that is full or away gives misses and false, or a
 * SimpleCacheException where it was opened with on_error=throw.
 */
final class SimpleCache implements CacheInterface
{
    public function __construct(private readonly Cache $cache)
    {
    }

    /** The cache itself: tags, prefixes, locks and what else PSR-16 has not. */
    public function cache(): Cache
    {
        return $this->cache;
    }

    /**
     * @param string $key
     * @param mixed $default
     */
    public function get($key, $default = null): mixed
    {
        // What fault() asks, without the call.
        if (!is_string($key) || $key === '' || strpbrk($key, Keys::RESERVED) !== false) {
            throw self::badKey($key);
        }
        try {
            return $this->cache->get($key, $default);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /**
     * @param string $key
     * @param mixed $value
     * @param null|int|\DateInterval $ttl
     */
    public function set($key, $value, $ttl = null): bool
    {
        $key = self::key($key);
        $ttl = self::ttl($ttl);
        try {
            return $this->cache->set($key, $value, $ttl);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /** @param string $key */
    public function delete($key): bool
    {
        $key = self::key($key);
        try {
            return $this->cache->delete($key);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    public function clear(): bool
    {
        try {
            return $this->cache->clear();
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /**
     * @param iterable<mixed> $keys
     * @param mixed $default
     * @return iterable<string, mixed>
     */
    public function getMultiple($keys, $default = null): iterable
    {
        $keys = self::keys($keys);
        try {
            return $this->cache->getMultiple($keys, $default);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /**
     * @param iterable<mixed, mixed> $values
     * @param null|int|\DateInterval $ttl
     */
    public function setMultiple($values, $ttl = null): bool
    {
        if (!is_iterable($values)) {
            throw new SimpleCacheInvalidArgumentException('values must be an array or Traversable, ' . get_debug_type($values) . ' given');
        }
        $ttl = self::ttl($ttl);
        $checked = [];
        foreach ($values as $key => $value) {
            // An array makes integers of keys that look like them.
            $checked[self::key(is_int($key) ? (string) $key : $key)] = $value;
        }
        try {
            return $this->cache->setMultiple($checked, $ttl);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /** @param iterable<mixed> $keys */
    public function deleteMultiple($keys): bool
    {
        $keys = self::keys($keys);
        try {
            return $this->cache->deleteMultiple($keys);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    /** @param string $key */
    public function has($key): bool
    {
        $key = self::key($key);
        try {
            return $this->cache->has($key);
        } catch (CacheException $e) {
            throw self::said($e);
        }
    }

    private static function key(mixed $key): string
    {
        return is_string($key) && Keys::fault($key) === null ? $key : throw self::badKey($key);
    }

    private static function badKey(mixed $key): SimpleCacheInvalidArgumentException
    {
        return new SimpleCacheInvalidArgumentException(Keys::fault($key) ?? 'the key is none');
    }

    /** @return list<string> */
    private static function keys(mixed $keys): array
    {
        if (!is_iterable($keys)) {
            throw new SimpleCacheInvalidArgumentException('keys must be an array or Traversable, ' . get_debug_type($keys) . ' given');
        }
        $checked = [];
        foreach ($keys as $key) {
            $checked[] = self::key($key);
        }
        return $checked;
    }

    private static function ttl(mixed $ttl): null|int|\DateInterval
    {
        if ($ttl === null || is_int($ttl) || $ttl instanceof \DateInterval) {
            return $ttl;
        }
        throw new SimpleCacheInvalidArgumentException('the TTL must be an int, a DateInterval or null, ' . get_debug_type($ttl) . ' given');
    }

    private static function said(CacheException $e): \Throwable
    {
        return $e instanceof InvalidKeyException
            ? new SimpleCacheInvalidArgumentException($e->getMessage(), 0, $e)
            : new SimpleCacheException($e->getMessage(), 0, $e);
    }
}
