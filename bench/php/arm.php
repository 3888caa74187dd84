<?php
// One arm of a benchmark in a process of its own; prints one line of JSON.
//   php arm.php w1|w2|many <backend> <build> <n> <kind> <socket or -> <seconds a measurement>
declare(strict_types=1);

namespace Bench;

error_reporting(E_ALL);
ini_set('memory_limit', '-1');
[, $workload, $name, $build, $n, $kind, $socket, $seconds] = $argv;
define('Bench\BUILD', $build);
define('Bench\PEERS', "$build/bench-peers");
require __DIR__ . '/backends.php';
require __DIR__ . '/loops.php';

$load = new Load((int) $n, $kind, $socket === '-' ? null : $socket);
$class = backends()[$name];
/** @var Backend $backend */
$backend = new $class($load);
if (($missing = $backend::missing()) !== null) {
    echo json_encode(['skipped' => $missing]), "\n";
    exit;
}
$n = $load->n;
$seconds = (float) $seconds;
$block = $backend instanceof PhpRedis ? 500 : 10_000;
$before = process_memory();
$c = $backend->open();
$a = [];
$result = [];

function fail(string $why): never
{
    echo json_encode(['error' => $why]), "\n";
    exit(1);
}

// Where filling is what is measured, entries are set one by one; of a server's, the last 100,000, since each is a round trip.
// Otherwise a shared back end is filled in batches where it has them.
$state = 1;
$users = intdiv($n, 10);
$single = $workload !== 'w1' ? 0 : ($backend::server() === null ? $users : min($users, 10_000));
if ($single < $users) {
    [$took, $cpu] = fill($backend, $c, $a, $n, $kind, false, $state, $users - $single);
}
if ($single > 0) {
    [$took, $cpu] = fill($backend, $c, $a, $n, $kind, true, $state, $single);
}
$result['set_per_s'] = 10 * ($single ?: $users) / $took;
$result['set_cpu_per_s'] = 10 * ($single ?: $users) / $cpu;
$result['memory'] = process_memory();
$result['memory_before'] = $before;
$held = $backend instanceof PlainArray ? count($a) : $backend->count($c);
if (!$backend->isLossy() && $held !== $n) {
    fail("$name holds $held of $n entries");
}
[$misses, $wrong] = verify($backend, $c, $a, $n, $kind);
if ($wrong > 0 || ($misses > 0 && !$backend->isLossy())) {
    fail("$name: $misses misses and $wrong wrong values of $n");
}
$result['misses'] = $misses;
$hit = $backend->isLossy() ? 'if ($v !== null && $v !== false) { ' . touch_value($kind) . ' }' : touch_value($kind);
if (!$backend->isLossy() && ($user = verify_many($backend, $c, $a, $n, $kind)) !== null) {
    fail("$name: the ten entries of user $user did not come back right together");
}

/** Net nanoseconds of a body: its loop less the same loop without it. */
$net = function (string $order, string $body, string $emptyBody, array $zipf = [], int $per = 1) use (&$a, $c, $n, $block, $seconds): array {
    $loop = make_loop($n, $order, $body);
    $empty = make_loop($n, $order, $emptyBody);
    [$idle, $idleCpu] = measure($empty, $c, $a, $zipf, 10_000, $seconds / 4);
    [$wall, $cpu] = measure($loop, $c, $a, $zipf, $per > 1 ? max(10, intdiv($block, $per)) : $block, $seconds);
    return ['ns' => ($wall - $idle) / $per, 'cpu_ns' => ($cpu - $idleCpu) / $per, 'empty_ns' => $idle / $per];
};
$one = '$v = ' . $backend->get() . "; $hit";
$result['get_random'] = $net('random', $one, '');

if ($workload === 'w1') {
    // Invalidate users in a random order: at most 200, for at most 3 s.
    $remove = $backend->removeGroup();
    if ($remove !== null) {
        $group = eval("return static function (\$c, array &\$a, string \$p): int { return $remove; };");
        $times = [];
        $x = 99;
        $until = hrtime(true) + 3e9;
        $users = intdiv($n, 10);
        $mask = mask_for($users);
        $seen = [];
        while (count($times) < 200 && hrtime(true) < $until) {
            do {
                $x = ($x * 1664525 + 1013904223) & $mask;
            } while ($x >= $users);
            $start = hrtime(true);
            $gone = $group($c, $a, "user.$x.");
            $times[] = hrtime(true) - $start;
            if ($gone !== 10) {
                fail("$name removed $gone entries of user $x instead of 10");
            }
        }
        sort($times);
        $result['invalidate_ns'] = $times[intdiv(count($times), 2)];
        $result['invalidate_max_ns'] = end($times);
        $result['invalidated'] = count($times);
    }
}

if ($workload === 'w2') {
    $result['get_zipf'] = $net('zipf', $one, '', zipf($n));
    $keys = fn (string $each) => 'for ($i = 0; $i < 10; $i++) { $k = "user." . $x . ".item." . $i; ' . $each . ' }';
    $result['get_user'] = $net('user', $keys($one), $keys(''), [], 10);
    $many = '$ks = []; ' . $keys('$ks[] = $k;');
    $result['get_multiple'] = $net('user', $many . ' foreach (' . $backend->getMany() . " as \$v) { $hit }", $many . ' foreach ($ks as $v) { }', [], 10);
    // Sets of existing keys, and one set to a hundred gets.
    $store = '$v = \Bench\value_of("' . $kind . '", $j);';
    $result['set_random'] = $net('random', $store . $backend->set(), $store);
    $result['mix_100_1'] = $net('random', "if (\$r % 101 === 100) { $store {$backend->set()} } else { $one }", "if (\$r % 101 === 100) { $store }");
}

if ($workload === 'many') {
    // Readers are forked from the filled process, so that all back ends share what they can; a writer sets existing keys.
    $run = function (int $readers, bool $writer) use ($backend, $name, $load, &$a, $c, $n, $kind, $block, $seconds, $one): array {
        $children = [];
        $begin = hrtime(true) + 1.5e9;
        for ($i = 0; $i < $readers + (int) $writer; $i++) {
            [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $pid = pcntl_fork();
            if ($pid === 0) {
                fclose($mine);
                if ($backend::server() !== null) {
                    $c = $backend->open();
                }
                $none = [];
                if ($i < $readers) {
                    $loop = make_loop($n, 'random', $one);
                    $x = 1 + $i * 7919;
                    $loop($c, $a, min($n, 200_000), $x, $none);
                    while (hrtime(true) < $begin) {
                        usleep(200);
                    }
                    [$idle, $idleCpu] = measure(make_loop($n, 'random', ''), $c, $a, $none, 10_000, $seconds / 4);
                    [$wall, $cpu] = measure($loop, $c, $a, $none, $block, $seconds * 2);
                    fwrite($theirs, json_encode(['ns' => $wall - $idle, 'cpu_ns' => $cpu - $idleCpu]));
                } else {
                    $loop = make_loop($n, 'random', '$v = \Bench\value_of("' . $kind . '", $j);' . $backend->set());
                    $x = 12345;
                    $written = 0;
                    $started = hrtime(true);
                    while (hrtime(true) < $begin + $seconds * 2.25e9) {
                        $loop($c, $a, 200, $x, $none);
                        $written += 200;
                    }
                    fwrite($theirs, json_encode(['written_per_s' => $written / (hrtime(true) - $started) * 1e9]));
                }
                fclose($theirs);
                posix_kill(posix_getpid(), SIGKILL);  // no destructors: they are the parent's
            }
            fclose($theirs);
            $children[$pid] = $mine;
        }
        $reports = [];
        foreach ($children as $pid => $pipe) {
            $reports[] = json_decode((string) stream_get_contents($pipe), true);
            pcntl_waitpid($pid, $status);
        }
        return $reports;
    };
    foreach ([[1, false], [2, false], [1, true], [2, true]] as [$readers, $writer]) {
        $result["readers_{$readers}" . ($writer ? '_writer' : '')] = $run($readers, $writer);
    }
}
$result['memory_end'] = process_memory();
echo json_encode($result), "\n";
