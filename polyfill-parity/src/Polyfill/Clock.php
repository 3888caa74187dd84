<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/** @internal */
final class Clock
{
    /** Milliseconds of the monotonic clock. */
    public static function now(): int
    {
        return intdiv(hrtime(true), 1_000_000);
    }

    /** Microseconds of the same clock. */
    public static function nowMicros(): int
    {
        return intdiv(hrtime(true), 1000);
    }
}
