<?php
// A long-lived worker: reads records at random through the cache, fills what it misses, and checks each hit.
//   php worker.php <dsn> <index> <board key> <lock directory> <number>
declare(strict_types=1);

namespace Demo;

use Coppice\Cache;

require __DIR__ . '/lib.php';

[, $dsn, $path, $boardKey, $locks, $worker] = $argv;
$index = PackageIndex::load($path);
$board = Board::attach((int) $boardKey, count($index->sections));
$lock = new SectionLock($locks);
$cache = Cache::open($dsn);
mt_srand(1000 + (int) $worker);

$records = count($index->names) - 1;
$groups = count(GROUPS) - 1;
$reads = $hits = $fills = $stale = $wrong = 0;
$example = null;

report(['ready' => getmypid(), 'shared' => $cache->isShared()]);
while ($board->phase() === Board::WAIT) {
    usleep(1000);
}
$next = hrtime(true);
while (true) {
    $number = mt_rand(0, $records);
    $group = GROUPS[mt_rand(0, $groups)];
    $section = $index->sectionOf[$number];
    $key = "pkg.{$index->names[$number]}.$group";

    $published = $board->published($section);
    $value = $cache->get($key);
    if ($value !== null) {
        [$generation, $record] = is_string($value) ? sscanf($value, '%d %d') : $value;
        if ($generation < $published) {
            $stale++;
            $example ??= "$key has generation $generation, published before the read: $published";
        }
        if ($record !== $number) {
            $wrong++;
            $example ??= "$key holds record $record instead of $number";
        }
        $hits++;
    } else {
        $lock->shared($section);
        $cache->add($key, $index->value($number, $group, $board->stored($section)));
        $lock->release($section);
        $fills++;
    }

    if ((++$reads & 255) === 0) {
        $now = hrtime(true);
        $stop = $board->phase() === Board::STOP;
        if ($now >= $next || $stop) {
            $next = $now + 250_000_000;
            report(compact('reads', 'hits', 'fills', 'stale', 'wrong', 'example') + ['memory' => memory_of('self')]);
        }
        if ($stop) {
            break;
        }
    }
}
