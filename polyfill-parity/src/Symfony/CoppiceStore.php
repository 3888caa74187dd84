<?php

declare(strict_types=1);

namespace Coppice\Symfony;

use Coppice\Cache;
use Coppice\CacheException;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;

/**
 * A store of Symfony's Lock component on an owner's locks: blocking, granted in order, ending by themselves. There are no shared
 * (read) locks.
 *
 *   $factory = new LockFactory(new CoppiceStore(CoppiceAdapter::createConnection('unix:///run/coppice/coppice.sock')));
 */
final class CoppiceStore implements BlockingStoreInterface
{
    use ExpiringStoreTrait;

    /**
     * @param float $initialTtl seconds after which a lock ends unless it is refreshed
     * @param bool $allowLocal also a cache of this process alone, whose locks no other process sees
     */
    public function __construct(private readonly Cache $cache, private readonly float $initialTtl = 300.0, bool $allowLocal = false)
    {
        if (!($initialTtl > 0)) {
            throw new InvalidTtlException(sprintf('the initial TTL can\'t be %g s; it is more than 0', $initialTtl));
        }
        if (!$cache->isShared() && !$allowLocal) {
            throw new InvalidArgumentException('A local cache is this process\'s alone, and so are its locks: use an owner\'s, or pass $allowLocal.');
        }
    }

    public function save(Key $key): void
    {
        $this->acquire($key, 0);
    }

    public function waitAndSave(Key $key): void
    {
        $this->acquire($key, INF);
    }

    private function acquire(Key $key, float $wait): void
    {
        if ($wait === 0.0) {
            $key->reduceLifetime($this->initialTtl);
        }
        try {
            $isGranted = $this->cache->lock($this->name($key), $this->initialTtl, $this->token($key))->acquire($wait);
        } catch (CacheException $e) {
            throw new LockAcquiringException($e->getMessage(), 0, $e);
        }
        if (!$isGranted) {
            throw new LockConflictedException();
        }
        if ($wait !== 0.0) {
            // The lifetime begins with the grant, not with the wait.
            $key->resetLifetime();
            $key->reduceLifetime($this->initialTtl);
        }
        $this->checkNotExpired($key);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        $key->reduceLifetime($ttl);
        try {
            $isHeld = $this->cache->lock($this->name($key), $this->initialTtl, $this->token($key))->refresh($ttl);
        } catch (CacheException $e) {
            throw new LockAcquiringException($e->getMessage(), 0, $e);
        }
        if (!$isHeld) {
            throw new LockConflictedException();
        }
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        try {
            $this->cache->lock($this->name($key), $this->initialTtl, $this->token($key))->release();
        } catch (CacheException $e) {
            throw new LockReleasingException($e->getMessage(), 0, $e);
        }
    }

    public function exists(Key $key): bool
    {
        try {
            return $this->cache->lock($this->name($key), $this->initialTtl, $this->token($key))->isHeld();
        } catch (CacheException $e) {
            throw new LockAcquiringException($e->getMessage(), 0, $e);
        }
    }

    /** Names that are too long for a lock are told apart by their hash. */
    private function name(Key $key): string
    {
        $name = (string) $key;
        return strlen($name) <= 3000 ? $name : substr($name, 0, 2900) . hash('sha256', $name);
    }

    private function token(Key $key): string
    {
        if (!$key->hasState(self::class)) {
            $key->setState(self::class, bin2hex(random_bytes(16)));
        }
        $token = $key->getState(self::class);
        return is_string($token) ? $token : throw new InvalidArgumentException('The key\'s state is not this store\'s.');
    }
}
