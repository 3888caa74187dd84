<?php
// Changes sections of the database one after the other: removes each from the cache by deletePrefix, announces its new
// generation, and fills it again. Beside it, now and then, removals of one package and scans of the whole cache.
//   php invalidator.php <dsn> <index> <board key> <lock directory> <socket>
declare(strict_types=1);

namespace Demo;

use Coppice\Cache;

require __DIR__ . '/lib.php';

[, $dsn, $path, $boardKey, $locks, $socket] = $argv;
$index = PackageIndex::load($path);
$board = Board::attach((int) $boardKey, count($index->sections));
$lock = new SectionLock($locks);
$cache = Cache::open($dsn);
$redis = new \Redis();
$redis->connect($socket);
$redis->setOption(\Redis::OPT_SCAN, \Redis::SCAN_RETRY);
mt_srand(7);

$members = [];
foreach ($index->sectionOf as $number => $section) {
    $members[$section][] = $number;
}

$generations = array_fill(0, count($index->sections), 1);
$rounds = $removed = $refilled = $left = $miscounted = 0;
$sectionTimes = $packageTimes = $scanTimes = [];

function milliseconds(callable $work): float
{
    $start = hrtime(true);
    $work();
    return (hrtime(true) - $start) / 1e6;
}

/** Finds a section's keys as a cache without order must: by looking at all of them. */
function full_scan(\Redis $redis, string $prefix): int
{
    $cursor = null;
    $found = 0;
    while (($keys = $redis->scan($cursor, null, 1000)) !== false) {
        foreach ($keys as $key) {
            $found += (int) str_starts_with($key, $prefix);
        }
    }
    return $found;
}

report(['ready' => getmypid(), 'shared' => $cache->isShared()]);
while ($board->phase() === Board::WAIT) {
    usleep(1000);
}
while ($board->phase() === Board::RUN) {
    $section = mt_rand(0, count($index->sections) - 1);
    $prefix = "pkg.{$index->sections[$section]}.";
    $generation = ++$generations[$section];

    // The lock keeps fills away, so the counts before, of and after the removal must agree exactly.
    $lock->exclusive($section);
    $board->setStored($section, $generation);
    $before = $cache->countPrefix($prefix);
    $count = 0;
    $sectionTimes[] = milliseconds(function () use ($cache, $prefix, &$count) {
        $count = $cache->deletePrefix($prefix);
    });
    $miscounted += (int) ($count !== $before);
    $left += $cache->countPrefix($prefix);
    // deletePrefix has returned: from now on no worker may read what was there.
    $board->setPublished($section, $generation);
    $lock->release($section);
    $removed += $count;

    foreach (array_chunk($members[$section], 50) as $chunk) {
        $entries = [];
        foreach ($chunk as $number) {
            $entries += $index->entries($number, $generation);
        }
        $cache->setMultiple($entries);
        $refilled += count($entries);
    }

    $package = $members[$section][array_rand($members[$section])];
    $packageTimes[] = milliseconds(fn () => $cache->deletePrefix("pkg.{$index->names[$package]}."));
    $cache->setMultiple($index->entries($package, $generation));

    if ($rounds++ % 40 === 0) {
        $scanTimes[] = milliseconds(fn () => full_scan($redis, $prefix));
    }
    report(compact('rounds', 'removed', 'refilled', 'left', 'miscounted') + [
        'section_ms' => median($sectionTimes), 'section_max_ms' => max($sectionTimes), 'package_ms' => median($packageTimes),
        'scan_ms' => median($scanTimes), 'scans' => count($scanTimes),
    ]);
    usleep(10_000);
}
