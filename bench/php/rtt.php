<?php
// What a write of the extension through the owner costs.   php rtt.php <socket> [count]
declare(strict_types=1);

[, $socket] = $argv;
$count = (int) ($argv[2] ?? 100_000);
$cache = Coppice\Cache::open("unix://$socket");
$cache->isShared() || throw new RuntimeException('the cache is not shared');
$value = str_repeat('v', 64);

function percentiles(string $what, callable $work, int $count): void
{
    $times = [];
    for ($i = 0; $i < $count; $i++) {
        $start = hrtime(true);
        $work($i);
        $times[] = hrtime(true) - $start;
    }
    $times = array_slice($times, intdiv($count, 10));
    sort($times);
    echo json_encode(['bench' => 'rtt', 'what' => $what, 'p50' => $times[intdiv(count($times), 2)] / 1e3, 'p99' => $times[intdiv(count($times) * 99, 100)] / 1e3]), "\n";
}

percentiles('set', function (int $i) use ($cache, $value) {
    $cache->set('user.' . $i % 1000 . '.name', $value) || throw new RuntimeException('set was refused');
}, $count);
percentiles('setMultiple of 100', function (int $i) use ($cache, $value) {
    $values = [];
    for ($j = 0; $j < 100; $j++) {
        $values['user.' . $i % 100 . ".item.$j"] = $value;
    }
    $cache->setMultiple($values) || throw new RuntimeException('setMultiple was refused');
}, max(100, intdiv($count, 50)));
percentiles('deletePrefix of 100', function (int $i) use ($cache) {
    $cache->deletePrefix('user.' . $i % 100 . '.item.');
}, 100);
