<?php
// Of locks_test.py, while and after its workers are killed: whether every lock and lease can be had.   php locks_check.php seconds
//
// Prints the longest waits in seconds.
require __DIR__ . '/words.php';

$cache = Coppice\Cache::open();
$end = hrtime(true) + (int) ((float) $argv[1] * 1e9);
$longest = ['locks' => 0, 'values' => 0, 'rounds' => 0];
do {
    for ($n = 0; $n < 3; $n++) {
        $start = hrtime(true);
        $lock = $cache->lock("lock.$n", 60);
        if (!$lock->acquire(30)) {
            fault("check: lock $n is not to be had");
        }
        unset($lock);
        $longest['locks'] = max($longest['locks'], (hrtime(true) - $start) / 1e9);
        $cache->delete("value.$n");
        $start = hrtime(true);
        if ($cache->remember("value.$n", 60, fn () => "value $n", wait: 30) !== "value $n") {
            fault("check: value $n is not to be had");
        }
        $longest['values'] = max($longest['values'], (hrtime(true) - $start) / 1e9);
    }
    $longest['rounds']++;
} while (hrtime(true) < $end);
echo json_encode($longest), "\n";
