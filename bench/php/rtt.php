<?php
// What a write of the extension through the owner costs.   php rtt.php <socket> [count]
declare(strict_types=1);

[, $socket] = $argv;
$count = (int) ($argv[2] ?? 100_000);
$cache = Coppice\Cache::open("unix://$socket");
$cache->isShared() || throw new RuntimeException('the cache is not shared');
$value = str_repeat('v', 64);

/** @return list<int> sorted nanoseconds of each call, the first tenth left out */
function times_of(callable $work, int $count): array
{
    $times = [];
    for ($i = 0; $i < $count; $i++) {
        $start = hrtime(true);
        $work($i);
        $times[] = hrtime(true) - $start;
    }
    $times = array_slice($times, intdiv($count, 10));
    sort($times);
    return $times;
}

/** Percentiles of $work less the median of $empty, which does the same without the cache: reading the clock twice and calling a closure take 0.2 µs here. */
function percentiles(string $what, callable $work, callable $empty, int $count): void
{
    $nothing = times_of($empty, $count);
    $times = times_of($work, $count);
    $empty = $nothing[intdiv(count($nothing), 2)] / 1e3;
    echo json_encode(['bench' => 'rtt', 'what' => $what, 'p50' => $times[intdiv(count($times), 2)] / 1e3 - $empty,
        'p99' => $times[intdiv(count($times) * 99, 100)] / 1e3 - $empty, 'empty' => $empty]), "\n";
}

percentiles('set', function (int $i) use ($cache, $value) {
    $cache->set('user.' . $i % 1000 . '.name', $value) || throw new RuntimeException('set was refused');
}, function (int $i) use ($cache, $value) {
    ('user.' . $i % 1000 . '.name') || throw new RuntimeException();
}, $count);
percentiles('setMultiple of 100', function (int $i) use ($cache, $value) {
    $values = [];
    for ($j = 0; $j < 100; $j++) {
        $values['user.' . $i % 100 . ".item.$j"] = $value;
    }
    $cache->setMultiple($values) || throw new RuntimeException('setMultiple was refused');
}, function (int $i) use ($cache, $value) {
    $values = [];
    for ($j = 0; $j < 100; $j++) {
        $values['user.' . $i % 100 . ".item.$j"] = $value;
    }
}, max(100, intdiv($count, 50)));
percentiles('deletePrefix of 100', function (int $i) use ($cache) {
    $cache->deletePrefix('user.' . $i % 100 . '.item.');
}, fn (int $i) => 'user.' . $i % 100 . '.item.', 100);
