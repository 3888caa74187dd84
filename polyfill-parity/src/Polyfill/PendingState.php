<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * How a value that is being computed is to be stored, and the lease under which it is.
 *
 * @internal
 */
final class PendingState
{
    public bool $skip = false;
    /** @var list<string> */
    public array $tags = [];
    private readonly int $process;

    /** @param ?int $ttl in ms; null: for ever */
    public function __construct(private ?Backend $backend, public readonly int $token, public ?int $ttl)
    {
        $this->process = (int) getmypid();
    }

    public function hasLease(): bool
    {
        return $this->backend !== null && $this->process === getmypid();
    }

    /** The lease is over in another way. */
    public function forgetLease(): void
    {
        $this->backend = null;
    }

    public function dropLease(): void
    {
        if ($this->hasLease()) {
            $this->backend?->drop($this->token);
        }
        $this->backend = null;
    }
}
