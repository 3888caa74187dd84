<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * Who this process is among those that wait for each other at an owner: a random number, another one in a forked child.
 *
 * @internal
 */
final class Party
{
    private static int $process = 0;
    private static string $id = '';

    /** Decimal digits. */
    public static function id(): string
    {
        $process = getmypid();
        if (self::$process !== $process) {
            self::$process = (int) $process;
            self::$id = (string) random_int(1, PHP_INT_MAX);
        }
        return self::$id;
    }
}
