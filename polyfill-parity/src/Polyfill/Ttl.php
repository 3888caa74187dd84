<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\InvalidArgumentException;

/**
 * TTLs in milliseconds; null: for ever; 0: remove.
 *
 * @internal
 */
final class Ttl
{
    /** Beyond this a TTL is for ever. */
    private const LONGEST_MS = 9.2e18;

    /** @throws InvalidArgumentException not a number */
    public static function parse(null|int|float|\DateInterval $ttl): ?int
    {
        if ($ttl === null) {
            return null;
        }
        if (is_int($ttl)) {
            if ($ttl <= 0) {
                return 0;
            }
            return $ttl >= intdiv(PHP_INT_MAX, 1000) ? null : $ttl * 1000;
        }
        if (is_float($ttl)) {
            if (is_nan($ttl)) {
                throw new InvalidArgumentException('the TTL is not a number (NAN)');
            }
            return self::fromSeconds($ttl);
        }
        $now = new \DateTimeImmutable();
        return self::fromSeconds((float) $now->add($ttl)->format('U.u') - (float) $now->format('U.u'));
    }

    /**
     * A duration in milliseconds, rounded up; null: without end.
     *
     * @throws InvalidArgumentException it names `$what`
     */
    public static function duration(float $seconds, string $what, bool $mayBeZero): ?int
    {
        if (is_nan($seconds)) {
            throw new InvalidArgumentException("the $what is not a number (NAN)");
        }
        if ($seconds < 0 || ($seconds === 0.0 && !$mayBeZero)) {
            $least = $mayBeZero ? '0 or more' : 'more than 0';
            throw new InvalidArgumentException("the $what can't be " . self::shown($seconds) . " s; it needs to be $least");
        }
        return self::fromSeconds($seconds);
    }

    /** As PHP's own messages have it. */
    public static function shown(float $number): string
    {
        return is_finite($number) ? sprintf('%g', $number) : (is_nan($number) ? 'NAN' : ($number > 0 ? 'INF' : '-INF'));
    }

    private static function fromSeconds(float $seconds): ?int
    {
        $ms = ceil($seconds * 1000);
        if ($ms >= self::LONGEST_MS) {
            return null;
        }
        return $ms <= 0 ? 0 : (int) $ms;
    }

    /** The deadline on Clock::now()'s scale; null: none; 0: has passed. */
    public static function deadline(?int $ttl, int $now): ?int
    {
        if ($ttl === null || $ttl >= PHP_INT_MAX - $now) {
            return null;
        }
        return $ttl <= 0 ? 0 : $now + $ttl;
    }
}
