<?php

declare(strict_types=1);

namespace Coppice;

use Coppice\Polyfill\Backend;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Report;
use Coppice\Polyfill\Ttl;

/**
 * A lock by name; see Cache::lock(). Every method throws ConnectionException where the owner can't be reached.
 *
 * A lock without a token of the caller's ends with the object, however the request ends. In a process forked from
 * the one that acquired it, the object is another lock, which is not held, and its end does nothing.
 */
final class Lock
{
    use Polyfill\Sealed;
    use Polyfill\Uncloneable;

    private string $owner;
    /** The token is the object's own. */
    private readonly bool $bound;
    /** Was acquired in `$process` and not released since. */
    private bool $held = false;
    /** Whose lock this is. */
    private int $process;
    /** Of the last grant; 0: none. */
    private int $fence = 0;

    /** @param ?int $lease in ms; null: until released */
    private function __construct(
        private readonly Backend $backend,
        private readonly string $name,
        private readonly ?int $lease,
        ?string $owner,
    ) {
        $this->bound = $owner === null;
        $this->owner = $owner ?? bin2hex(random_bytes(16));
        $this->process = (int) getmypid();
    }

    public function __destruct()
    {
        if ($this->held && $this->bound && $this->process === getmypid()) {
            $this->backend->letGo($this->name, $this->owner);
        }
    }

    /**
     * Waits up to $wait seconds (INF: for ever) in a queue at the owner, and is granted in order. False: it was not free
     * in time, or waiting for it would have closed a circle of waiting processes. Where this lock is held already, its
     * lease begins anew.
     *
     * @throws InvalidArgumentException @throws ConnectionException @throws RefusedException
     */
    public function acquire(float $wait = 0): bool
    {
        $this->adopt();
        $patience = Ttl::duration($wait, 'wait', true);
        $this->held = false;
        $fence = $this->ask(fn (): ?int => $this->backend->lock($this->name, $this->owner, $this->lease, $patience, $this->bound));
        if ($fence !== null) {
            $this->fence = $fence;
        }
        return $this->held = $fence !== null;
    }

    /** Ends it; false where it is not held (any more) by this owner. */
    public function release(): bool
    {
        $this->adopt();
        return $this->end($this->owner);
    }

    /** Ends it, whoever holds it; false where nobody does. */
    public function forceRelease(): bool
    {
        $this->adopt();
        return $this->end(null);
    }

    /**
     * Its lease begins anew; false where it is not held (any more) by this owner.
     *
     * @param ?float $lease seconds, INF: until released; null: as long as it was made for
     * @throws InvalidArgumentException
     */
    public function refresh(?float $lease = null): bool
    {
        $this->adopt();
        $ms = $lease === null ? $this->lease : Ttl::duration($lease, 'lease', false);
        return $this->ask(fn (): bool => $this->backend->relock($this->name, $this->owner, $ms));
    }

    /** Whether this owner holds it. */
    public function isHeld(): bool
    {
        $this->adopt();
        return $this->state() !== null;
    }

    /** Whether anybody holds it. */
    public function isLocked(): bool
    {
        $this->adopt();
        return $this->ask(fn (): ?array => $this->backend->lockState($this->name)) !== null;
    }

    /** The token by which the holder is known. */
    public function owner(): string
    {
        $this->adopt();
        return $this->owner;
    }

    /**
     * A number that rises with each grant of the name, restarts of the owner included: what a resource is to compare, so
     * that a holder whose lock has ended unnoticed can do no harm. Of this object's grant, until it releases, and without
     * asking whether its lease has ended meanwhile; else of the owner's, and 0 where it does not hold the lock.
     */
    public function fence(): int
    {
        $this->adopt();
        return $this->fence !== 0 ? $this->fence : $this->state() ?? 0;
    }

    /** Of release() and forceRelease(), which names no owner. */
    private function end(?string $owner): bool
    {
        $this->held = false;
        $this->fence = 0;
        return $this->ask(fn (): bool => $this->backend->unlock($this->name, $owner));
    }

    /** The fence of this owner's hold; null: it does not hold the lock. */
    private function state(): ?int
    {
        $state = $this->ask(fn (): ?array => $this->backend->lockState($this->name));
        return $state !== null && $state[0] === $this->owner ? $state[1] : null;
    }

    /** In a forked child it is another lock than the parent's, unless its token is the caller's. */
    private function adopt(): void
    {
        $process = (int) getmypid();
        if ($this->process === $process) {
            return;
        }
        $this->process = $process;
        $this->held = false;
        if ($this->bound) {
            $this->fence = 0;
            $this->owner = bin2hex(random_bytes(16));
        }
    }

    /**
     * A lock that can't be asked for has no harmless answer.
     *
     * @template T
     * @param callable(): T $question
     * @return T
     */
    private function ask(callable $question): mixed
    {
        try {
            return $question();
        } catch (Failure $e) {
            throw Report::exception($e);
        }
    }
}
