<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\CacheException;
use Coppice\ConnectionException;
use Coppice\InvalidArgumentException;
use Coppice\OverflowException;
use Coppice\RefusedException;
use Coppice\WrongTypeException;

/**
 * How failures reach the script.
 *
 * @internal
 */
final class Report
{
    private const SILENCE_MS = 60_000;
    /** Bytes of a shown key before the ellipsis, the opening quote included. */
    private const SHOWN = 152;

    /** @var array<int, int> by kind: when it was last warned of, in ms */
    private static array $warned = [];

    public static function exception(Failure $failure): CacheException
    {
        $class = match ($failure->kind) {
            Failure::UNREACHABLE, Failure::LOADING => ConnectionException::class,
            Failure::NOT_INTEGER, Failure::WRONG_TYPE => WrongTypeException::class,
            Failure::OVERFLOW => OverflowException::class,
            Failure::BAD_ARGUMENT => InvalidArgumentException::class,
            default => RefusedException::class,
        };
        return new $class($failure->getMessage());
    }

    /**
     * A failure of an ordinary operation: misuse is thrown; a cache that is full or away gives a warning, or an exception
     * where the handle asks for it. Of each kind of failure one warning a request, or one a minute.
     */
    public static function failure(Failure $failure, bool $throws, string $method): void
    {
        $misuse = [Failure::NOT_INTEGER, Failure::WRONG_TYPE, Failure::OVERFLOW, Failure::BAD_ARGUMENT];
        if ($throws || in_array($failure->kind, $misuse, true)) {
            throw self::exception($failure);
        }
        $now = Clock::now();
        $warned = self::$warned[$failure->kind] ?? null;
        if ($warned !== null && $now - $warned < self::SILENCE_MS) {
            return;
        }
        self::$warned[$failure->kind] = $now;
        self::warning(
            $method,
            $failure->getMessage() . ' (failures of this kind are not reported again in this request for a minute)'
        );
    }

    /** `$method` is one of this library's, such as `Cache::get`. */
    public static function warning(string $method, string $text): void
    {
        trigger_error("Coppice\\$method(): $text", E_USER_WARNING);
    }

    /** A key as it may stand in a message: quoted, unprintable bytes escaped, cut short. */
    public static function key(string $key): string
    {
        $text = '"';
        for ($i = 0, $n = strlen($key); $i < $n; ++$i) {
            if (strlen($text) >= self::SHOWN) {
                return $text . '..."';
            }
            $byte = ord($key[$i]);
            $plain = $byte >= 0x20 && $byte !== 0x7f && $key[$i] !== '"' && $key[$i] !== '\\';
            $text .= $plain ? $key[$i] : sprintf('\x%02x', $byte);
        }
        return $text . '"';
    }
}
