<?php

declare(strict_types=1);

namespace Coppice;

/** What throttle() answers. */
final class Throttle
{
    use Polyfill\Sealed;

    public readonly bool $allowed;

    /** How much may still be spent at once. */
    public readonly int $remaining;

    /** Seconds after which the same cost will be allowed: 0 where it is, INF where it never will be. */
    public readonly float $retryAfter;

    private function __construct(bool $allowed, int $remaining, float $retryAfter)
    {
        $this->allowed = $allowed;
        $this->remaining = $remaining;
        $this->retryAfter = $retryAfter;
    }
}
