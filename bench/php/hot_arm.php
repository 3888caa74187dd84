<?php
// One arm of W7 in this process, or one request of it under FPM; prints one line of JSON.
//   php hot_arm.php '{"build": …, "arm": …, "data": …, "file": …, "dsn": …, "hash": …, "seconds": …, "fill": true}'
declare(strict_types=1);

namespace Bench;

error_reporting(E_ALL);
$o = json_decode($argv[1] ?? rawurldecode($_SERVER['QUERY_STRING']), true);
require __DIR__ . '/hot_arms.php';
$fill = $o['fill'];
$file = $o['file'];
$dsn = $o['dsn'];
$arm = hot_arms($o['build'])[$o['arm']];
$value = $fill ? unserialize((string) file_get_contents($o['data'])) : null;

/** Bytes of this process: its own, and shared ones that it has touched. @return array{own: int, shared: int} */
function resident(): array
{
    preg_match_all('/^Rss(\w+):\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $found);
    $bytes = array_combine($found[1], array_map(fn ($kb) => 1024 * (int) $kb, $found[2]));
    return ['own' => $bytes['Anon'], 'shared' => $bytes['Shmem']];
}

function cpu_us(): int
{
    $usage = getrusage();
    return 1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

$make = fn (string $body) => 'return static function (int $rounds) use (&$a, &$s, &$c, $file) { for ($r = 0; $r < $rounds; $r++) { ' . $body . ' } return $v ?? null; };';
$a = $s = $c = null;
eval($arm->prepare);
$expected = $o['arm'] === 'coppice-int' ? md5(serialize(1234567890)) : $o['hash'];
unset($value);
$before = resident();
$read = eval($make('$v = ' . $arm->read . ';'));
$empty = eval($make(''));
$start = hrtime(true);
$got = $read(1);
$first = hrtime(true) - $start;
$hash = md5(serialize($got));
unset($got);

// As many rounds as take a fiftieth of the time; the least of such blocks.
$time = function (\Closure $loop, float $seconds): float {
    $rounds = 8;
    do {
        $rounds *= 2;
        $start = hrtime(true);
        $loop($rounds);
        $took = hrtime(true) - $start;
    } while ($took < max(2e6, $seconds * 2e7));
    $least = INF;
    $until = hrtime(true) + $seconds * 1e9;
    do {
        $cpu = cpu_us();
        $loop($rounds);
        $least = min($least, (cpu_us() - $cpu) * 1000 / $rounds);
    } while (hrtime(true) < $until);
    return $least;
};
$idle = $time($empty, $o['seconds'] / 4);
$ns = $time($read, $o['seconds']) - $idle;
$after = resident();
$error = null;
if (md5(serialize($read(1))) !== $hash || $hash !== $expected) {
    $error = 'another value came back';
} elseif (!eval("return {$arm->proof};")) {
    $error = 'it is not what it is called';
}
echo json_encode(['ns' => $ns, 'empty_ns' => $idle, 'first_ns' => $first, 'own' => $after['own'], 'own_more' => $after['own'] - $before['own'], 'shared' => $after['shared'], 'pid' => getmypid()] + ($error ? ['error' => $error] : [])), "\n";
