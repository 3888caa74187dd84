<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Coppice\Cache;
use Illuminate\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;

/** A lock of Laravel's on an owner's lock: who waits for it sleeps at the owner, and is granted in order. */
class CoppiceLock extends Lock
{
    /**
     * @param int $seconds 0: until it is released
     * @param ?string $owner
     */
    public function __construct(private readonly Cache $cache, string $name, int $seconds, $owner = null)
    {
        parent::__construct($name, $seconds, $owner);
    }

    public function acquire(): bool
    {
        return $this->lockOf($this->owner)->acquire();
    }

    /**
     * @param int $seconds
     * @param ?callable $callback
     * @throws LockTimeoutException
     */
    public function block($seconds, $callback = null): mixed
    {
        if (!$this->lockOf($this->owner)->acquire((float) $seconds)) {
            throw new LockTimeoutException();
        }
        if (!is_callable($callback)) {
            return true;
        }
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }

    public function release(): bool
    {
        return $this->lockOf($this->owner)->release();
    }

    public function forceRelease(): void
    {
        $this->lockOf($this->owner)->forceRelease();
    }

    /** @param ?int $seconds null: as long as it was made for */
    public function refresh($seconds = null): bool
    {
        return $this->lockOf($this->owner)->refresh($seconds === null ? null : (float) $seconds);
    }

    /** @param ?string $owner */
    public function isOwnedBy($owner): bool
    {
        return is_string($owner) && $owner !== '' && $this->lockOf($owner)->isHeld();
    }

    public function isLocked(): bool
    {
        return $this->lockOf($this->owner)->isLocked();
    }

    /** The holder's token where it is this lock's; another's is not told. */
    protected function getCurrentOwner(): ?string
    {
        return $this->isOwnedBy($this->owner) ? $this->owner : null;
    }

    private function lockOf(string $owner): \Coppice\Lock
    {
        return $this->cache->lock($this->name, $this->seconds > 0 ? (float) $this->seconds : INF, $owner);
    }
}
