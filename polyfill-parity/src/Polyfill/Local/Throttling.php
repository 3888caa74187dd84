<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\ValueType;

/**
 * Rate limits by the generic cell rate algorithm, as the engine keeps them: the theoretical arrival time is the entry's deadline,
 * and what that was rounded up by its value (4 bytes little-endian, picoseconds). Times are pairs of milliseconds
 * and picoseconds, so that nothing is lost and nothing overflows.
 *
 * @internal
 */
final class Throttling
{
    private const PICOS = 1_000_000_000;
    private const LARGEST_LIMIT = 1_000_000_000;
    private const LONGEST_PERIOD = 3650 * 86_400_000;

    /**
     * Allowed, remaining, and ms to wait (null: never).
     *
     * @return array{bool, int, ?int}
     * @throws Failure
     */
    public static function take(Store $store, string $key, int $limit, int $period, int $cost): array
    {
        if ($limit < 1 || $limit > self::LARGEST_LIMIT || $period < 1 || $period > self::LONGEST_PERIOD || $cost < 0) {
            throw new Failure(Failure::BAD_ARGUMENT, 'the limit must be 1 to 1000000000, the period a millisecond to ten years, the cost at least 0');
        }
        $now = [Clock::now(), 0];
        $arrival = $now;
        $record = $store->peek($key);
        if ($record !== null) {
            if ($record->type !== ValueType::THROTTLE) {
                throw new Failure(Failure::WRONG_TYPE, 'the value has a type that the operation does not apply to');
            }
            if ($record->deadline !== null) {
                /** @var array{1: int} $before */
                $before = strlen($record->bytes) === 4 ? unpack('V', $record->bytes) : [1 => 0];
                $arrival = max($now, self::minus([$record->deadline, 0], [0, $before[1]]));
            }
        }
        if ($cost > $limit) {
            return [false, self::remaining($now, $arrival, $limit, $period), null];
        }
        $moved = self::plus($arrival, self::share($cost, $limit, $period, false));
        $over = self::minus($moved, [$now[0] + $period, 0]);
        if ($over > [0, 0]) {
            return [false, self::remaining($now, $arrival, $limit, $period), self::roundedUp($over)];
        }
        if ($cost > 0) {
            $deadline = self::roundedUp($moved);
            $before = self::minus([$deadline, 0], $moved);
            $store->set($key, ValueType::THROTTLE, pack('V', $before[1]), $deadline);
        }
        return [true, self::remaining($now, $cost > 0 ? $moved : $arrival, $limit, $period), 0];
    }

    /**
     * `$cost * $period / $limit`, rounded down to picoseconds, or up.
     *
     * @return array{int, int}
     */
    private static function share(int $cost, int $limit, int $period, bool $up): array
    {
        $rest = $cost * ($period % $limit);
        $picos = ($rest % $limit) * self::PICOS;
        $share = [$cost * intdiv($period, $limit) + intdiv($rest, $limit), intdiv($picos, $limit)];
        return $up && $picos % $limit > 0 ? self::plus($share, [0, 1]) : $share;
    }

    /**
     * @param array{int, int} $now
     * @param array{int, int} $arrival
     */
    private static function remaining(array $now, array $arrival, int $limit, int $period): int
    {
        $room = self::minus([$now[0] + $period, 0], $arrival);
        if ($room <= [0, 0]) {
            return 0;
        }
        // Near by what a float tells, then exactly.
        $n = max(0, min($limit, (int) (($room[0] + $room[1] / self::PICOS) * $limit / $period)));
        while ($n > 0 && self::share($n, $limit, $period, true) > $room) {
            --$n;
        }
        while ($n < $limit && self::share($n + 1, $limit, $period, true) <= $room) {
            ++$n;
        }
        return $n;
    }

    /**
     * @param array{int, int} $a
     * @param array{int, int} $b
     * @return array{int, int}
     */
    private static function plus(array $a, array $b): array
    {
        $picos = $a[1] + $b[1];
        return $picos >= self::PICOS ? [$a[0] + $b[0] + 1, $picos - self::PICOS] : [$a[0] + $b[0], $picos];
    }

    /**
     * @param array{int, int} $a
     * @param array{int, int} $b
     * @return array{int, int}
     */
    private static function minus(array $a, array $b): array
    {
        $picos = $a[1] - $b[1];
        return $picos < 0 ? [$a[0] - $b[0] - 1, $picos + self::PICOS] : [$a[0] - $b[0], $picos];
    }

    /** @param array{int, int} $time */
    private static function roundedUp(array $time): int
    {
        return $time[0] + (int) ($time[1] > 0);
    }
}
