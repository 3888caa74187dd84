<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * An answer to Backend::lease().
 *
 * @internal
 */
final class Lease
{
    /** Compute, then fill() or drop(). */
    public const GRANTED = 0;
    /** There is a value now that the caller has not seen: read again. */
    public const STORED = 1;
    /** Compute without storing: the wait is over, or would never be. */
    public const SELF = 2;

    public function __construct(public readonly int $outcome, public readonly int $token = 0)
    {
    }
}
