<?php
// What bench/php/remember runs.
//   php remember.php loop DSN VALUE OPERATION CALLS      the loop alone, to count its instructions
//   php remember.php time DSN VALUE                      nanoseconds a call of each operation, in turns
//   php remember.php cold DSN PROCESSES ROUNDS
declare(strict_types=1);

use Coppice\Cache;

/** How many keys the mode "random" reads, in a random order. */
const RANDOM_KEYS = 200_000;

function value_of(string $name): mixed
{
    $rows = [];
    for ($i = 0; $i < 100; $i++) {
        $rows[] = ['id' => $i, 'name' => "name $i", 'email' => "user$i@example.com", 'active' => $i % 2 === 0, 'score' => $i * 1.5];
    }
    return ['int' => 123456, 'w1' => ['id' => 42, 'score' => 4711], 'rows100' => $rows][$name];
}

/** One block of calls, as a script would write them. */
function block(Cache $cache, string $operation, Closure $compute, int $calls): void
{
    switch ($operation) {
        case 'nothing':
            for ($i = 0; $i < $calls; $i++) {
            }
            break;
        case 'get':
            for ($i = 0; $i < $calls; $i++) {
                $value = $cache->get('user.42.profile');
            }
            break;
        case 'remember':
            for ($i = 0; $i < $calls; $i++) {
                $value = $cache->remember('user.42.profile', 3600, $compute);
            }
            break;
    }
}

/** A cache whose entry was computed in 1 ms, so that a hit has everything to look at that there is. */
function prepared(string $dsn, string $name): array
{
    $cache = Cache::open($dsn);
    $cache->delete('user.42.profile');
    $compute = function () use ($name) {
        usleep(1000);
        return value_of($name);
    };
    $cache->remember('user.42.profile', 3600, $compute) === value_of($name) && $cache->get('user.42.profile') === value_of($name)
        || throw new RuntimeException('the value is not what it was');
    return [$cache, fn () => throw new RuntimeException('computed again')];
}

function cpu_us(): float
{
    $u = getrusage();
    return ($u['ru_utime.tv_sec'] + $u['ru_stime.tv_sec']) * 1e6 + $u['ru_utime.tv_usec'] + $u['ru_stime.tv_usec'];
}

/** Each of the processes writes its words of a shared table: when it was done (ns), its processor time (µs), when it had computed. */
function cold(string $dsn, int $processes, int $rounds): void
{
    $shared = shmop_open(random_int(1, 1 << 30), 'n', 0600, 64 * ($processes + 1));
    $put = fn (int $word, int $value) => shmop_write($shared, pack('P', $value), $word * 8);
    $get = fn (int $word) => unpack('P', shmop_read($shared, $word * 8, 8))[1];
    $go = 8 * $processes;
    $children = [];
    for ($p = 0; $p < $processes; $p++) {
        $children[$p] = pcntl_fork();
        if ($children[$p] !== 0) {
            continue;
        }
        $cache = Cache::open($dsn);
        for ($round = 1; $round <= $rounds; $round++) {
            $cache->get('warm');
            $put(8 * $p + 3, $round);
            while ($get($go) < $round) {
                usleep(200);
            }
            $before = cpu_us();
            $computed = 0;
            $value = $cache->remember("cold.$round", 60, function () use (&$computed, $round) {
                usleep(200_000);
                $value = "value $round";
                $computed = hrtime(true);
                return $value;
            }, wait: 30);
            $end = hrtime(true);
            $put(8 * $p, $end);
            $put(8 * $p + 1, (int) (cpu_us() - $before));
            $put(8 * $p + 2, $value === "value $round" ? $computed : -1);
            $put(8 * $p + 4, $round);
            usleep(100_000);  // who has its value does not take the processor from those that still wait
        }
        posix_kill(getmypid(), SIGKILL);
    }
    $all = function (int $word, int $round) use ($get, $processes) {
        for ($p = 0; $p < $processes; $p++) {
            while ($get(8 * $p + $word) < $round) {
                usleep(20_000);
            }
        }
    };
    for ($round = 1; $round <= $rounds; $round++) {
        $all(3, $round);
        usleep(20_000);
        $put($go, $round);
        $all(4, $round);
        $computed = $ends = $cpu = [];
        for ($p = 0; $p < $processes; $p++) {
            if (($when = $get(8 * $p + 2)) !== 0) {
                $computed[] = $when;
            } else {
                $ends[] = $get(8 * $p);
                $cpu[] = $get(8 * $p + 1);
            }
        }
        in_array(-1, $computed, true) && throw new RuntimeException('a wrong value');
        sort($ends);
        echo json_encode(['bench' => 'remember', 'what' => 'cold', 'processes' => $processes, 'round' => $round, 'computations' => count($computed),
            'last_ms' => (max($ends) - min($computed)) / 1e6, 'middle_ms' => ($ends[intdiv(count($ends), 2)] - min($computed)) / 1e6,
            'cpu_us' => array_sum($cpu) / count($cpu), 'most_cpu_us' => max($cpu)]), "\n";
    }
    foreach ($children as $child) {
        pcntl_waitpid($child, $status);
    }
    shmop_delete($shared);
}

/** As `time`, over many keys; their entries say that computing took a millisecond, as if remember() had made them. */
function random_keys(string $dsn): void
{
    $cache = Cache::open($dsn);
    for ($i = 0; $i < RANDOM_KEYS; $i++) {
        // Where computing takes no time there is nothing to look at but the deadline; see prepared() for the other case.
        $cache->set("user.$i.visits", $i, 3600);
    }
    $compute = fn () => throw new RuntimeException('computed again');
    $least = [];
    $n = 0;
    for ($turn = 0; $turn < 60; $turn++) {
        foreach (['nothing', 'get', 'remember'] as $operation) {
            $sum = 0;
            $start = hrtime(true);
            for ($i = 0; $i < 10_000; $i++) {
                $n = ($n * 16807 + 11) % 200_003;
                $key = 'user.' . $n % RANDOM_KEYS . '.visits';
                if ($operation === 'get') {
                    $sum += $cache->get($key);
                } elseif ($operation === 'remember') {
                    $sum += $cache->remember($key, 3600, $compute);
                }
            }
            $least[$operation] = min($least[$operation] ?? PHP_INT_MAX, hrtime(true) - $start);
        }
    }
    foreach (['get', 'remember'] as $operation) {
        echo json_encode(['what' => 'hit', 'value' => 'random', 'operation' => $operation, 'ns' => ($least[$operation] - $least['nothing']) / 10_000]), "\n";
    }
}

[, $what, $dsn] = $argv;
if ($what === 'cold') {
    cold($dsn, (int) $argv[3], (int) $argv[4]);
    exit;
}
if ($argv[3] === 'random') {
    random_keys($dsn);
    exit;
}
[$cache, $compute] = prepared($dsn, $argv[3]);
if ($what === 'loop') {
    block($cache, $argv[4], $compute, (int) $argv[5]);
    exit;
}
$least = [];
for ($turn = 0; $turn < 200; $turn++) {
    foreach (['nothing', 'get', 'remember'] as $operation) {
        $start = hrtime(true);
        block($cache, $operation, $compute, 1000);
        $least[$operation] = min($least[$operation] ?? PHP_INT_MAX, hrtime(true) - $start);
    }
}
foreach (['get', 'remember'] as $operation) {
    echo json_encode(['what' => 'hit', 'value' => $argv[3], 'operation' => $operation, 'ns' => ($least[$operation] - $least['nothing']) / 1000]), "\n";
}
