<?php
// The measured loops. Keys are user.<uid>.item.<i>, ten a user, built in the loop from numbers in a random order; the
// same loop without the back end is measured too, and its time is taken off.
declare(strict_types=1);

namespace Bench;

/** The value of entry $j: what every read is compared with. */
function value_of(string $kind, int $j): mixed
{
    return match ($kind) {
        'int' => $j * 7 + 1_000_000_000,
        's64' => str_pad("$j:", 64, 'abcdefghijklmnopqrstuvwxyz'),
        's1k' => str_pad("$j:", 1024, 'abcdefghijklmnopqrstuvwxyz'),
        's8k' => str_pad("$j:", 8192, 'abcdefghijklmnopqrstuvwxyz'),
        'arr' => ['id' => $j, 'score' => $j * 3],
    };
}

function key_of(int $j): string
{
    return 'user.' . intdiv($j, 10) . '.item.' . $j % 10;
}

/** A step of a full-period generator over the power of two above $n; the numbers below $n come in a random order. */
function mask_for(int $n): int
{
    $mask = 1;
    while ($mask < $n) {
        $mask *= 2;
    }
    return $mask - 1;
}

/** @return list<int> 65,536 entries drawn by Zipf's law with the exponent $s */
function zipf(int $n, float $s = 1.0, int $count = 65536): array
{
    mt_srand(42);
    $sum = 0.0;
    $cumulative = [];
    for ($rank = 1; $rank <= $n; $rank++) {
        $cumulative[] = $sum += $rank ** -$s;
    }
    $drawn = [];
    $mask = mask_for($n);
    for ($i = 0; $i < $count; $i++) {
        $x = mt_rand() / mt_getrandmax() * $sum;
        [$low, $high] = [0, $n - 1];
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if ($cumulative[$middle] < $x) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        // The popular ones lie anywhere among the keys.
        do {
            $low = ($low * 1664525 + 1013904223) & $mask;
        } while ($low >= $n);
        $drawn[] = $low;
    }
    return $drawn;
}

/** How a value enters the checksum. */
function touch_value(string $kind): string
{
    return match ($kind) {
        'int' => '$sum += $v;',
        'arr' => '$sum += $v["id"];',
        default => '$sum += \strlen($v);',
    };
}

/**
 * A loop as a function of the handle, the plain array, the number of rounds and the state of the generator.
 * $body sees $j, $k, $c, $a and may add to $sum.
 */
function make_loop(int $n, string $order, string $body): \Closure
{
    $mask = mask_for($n);
    $users = intdiv($n, 10);
    $userMask = mask_for($users);
    $draw = match ($order) {
        // every entry once in 2^k steps
        'random' => "do { \$x = (\$x * 1664525 + 1013904223) & $mask; } while (\$x >= $n); \$j = \$x; \$k = 'user.' . \intdiv(\$j, 10) . '.item.' . \$j % 10;",
        // $zipf holds the numbers of entries
        'zipf' => "\$j = \$zipf[\$x = (\$x + 1) & 65535]; \$k = 'user.' . \intdiv(\$j, 10) . '.item.' . \$j % 10;",
        // the first entry of a user
        'user' => "do { \$x = (\$x * 1664525 + 1013904223) & $userMask; } while (\$x >= $users); \$j = 10 * \$x;",
    };
    return eval("return static function (\$c, array &\$a, int \$rounds, int &\$x, array \$zipf): int { \$sum = 0; for (\$r = 0; \$r < \$rounds; \$r++) { $draw $body } return \$sum; };");
}

/**
 * Repeats a loop for $seconds at least.
 *
 * @return array{float,float} nanoseconds of wall clock and of this process's own CPU time a round
 */
function measure(\Closure $loop, mixed $c, array &$a, array $zipf, int $block, float $seconds): array
{
    $x = 1;
    $rounds = 0;
    $cpu = cpu_ns();
    $start = hrtime(true);
    do {
        $loop($c, $a, $block, $x, $zipf);
        $rounds += $block;
        $now = hrtime(true);
    } while ($now - $start < $seconds * 1e9);
    return [($now - $start) / $rounds, (cpu_ns() - $cpu) / $rounds];
}

function cpu_ns(): float
{
    $usage = getrusage();
    return 1e3 * (1e6 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']);
}

/** Reads each entry once (of Redis each twentieth, as a read is a round trip) and compares it whole. @return array{int,int} misses and wrong values */
function verify(Backend $backend, mixed $c, array &$a, int $n, string $kind): array
{
    $get = eval('return static function ($c, array &$a, string $k) { return ' . ($backend instanceof PlainArray ? 'isset($a[$k]) ? ' . $backend->get() . ' : null' : $backend->get()) . '; };');
    $misses = $wrong = 0;
    $step = $backend instanceof PhpRedis ? 20 : 1;
    for ($j = 0; $j < $n; $j += $step) {
        $value = $get($c, $a, key_of($j));
        if ($value === null) {
            $misses++;
        } elseif ($value !== value_of($kind, $j)) {
            $wrong++;
        }
    }
    return [$misses, $wrong];
}

/** Reads some users' ten entries together. @return ?int the first user of whom not all came back right */
function verify_many(Backend $backend, mixed $c, array &$a, int $n, string $kind): ?int
{
    $get = eval('return static function ($c, array &$a, array $ks) { return ' . $backend->getMany() . '; };');
    for ($user = 0, $step = max(1, intdiv($n, 20_000)); $user < intdiv($n, 10); $user += $step) {
        $expected = [];
        for ($i = 0; $i < 10; $i++) {
            $expected["user.$user.item.$i"] = value_of($kind, 10 * $user + $i);
        }
        $got = $get($c, $a, array_keys($expected));
        ksort($got);
        if ($got !== $expected) {
            return $user;
        }
    }
    return null;
}

/**
 * Fills in a random order of users, the ten entries of each together: the next $users users behind the state $state.
 *
 * @return array{float,float} seconds by the wall clock and of this process's CPU time, less the empty loop's
 */
function fill(Backend $backend, mixed $c, array &$a, int $n, string $kind, bool $oneByOne, int &$state, int $users): array
{
    $body = fn (string $store) => 'for ($i = 0; $i < 10; $i++, $j++) { $k = "user." . $x . ".item." . $i; $v = \Bench\value_of("' . $kind . '", $j); ' . $store . ' }';
    $empty = make_loop($n, 'user', $body(''));
    $x = $state;
    [$start, $cpu] = [hrtime(true), cpu_ns()];
    $empty($c, $a, $users, $x, []);
    [$idle, $idleCpu] = [hrtime(true) - $start, cpu_ns() - $cpu];
    if ($oneByOne) {
        $loop = make_loop($n, 'user', $body($backend->set()));
    } else {
        $loop = make_loop($n, 'user', $body('$kv[$k] = $v;') . ' if (\count($kv ?? []) >= 500 || $r === $rounds - 1) { ' . $backend->setMany() . ' $kv = []; }');
    }
    [$start, $cpu] = [hrtime(true), cpu_ns()];
    $loop($c, $a, $users, $state, []);
    return [(hrtime(true) - $start - $idle) / 1e9, (cpu_ns() - $cpu - $idleCpu) / 1e9];
}

/** @return array<string,int> bytes of this process */
function process_memory(int|string $pid = 'self'): array
{
    $status = (string) file_get_contents("/proc/$pid/status");
    $memory = [];
    foreach (['VmHWM', 'RssAnon', 'RssShmem'] as $name) {
        $memory[$name] = preg_match("/^$name:\s+(\d+) kB/m", $status, $found) ? 1024 * (int) $found[1] : 0;
    }
    return $memory;
}
