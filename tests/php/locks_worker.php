<?php
// A process of locks_test.py, to be killed at any point.   php locks_worker.php words number seed
//
// Holds locks for a short while, and computes under leases. A word for each lock has the fence of whoever was in it last.
require __DIR__ . '/words.php';

const LOCKS = 3;
const LEASE = 0.5;

[, $key, $number, $seed] = $argv;
$words = new Words((int) $key);
$cache = Coppice\Cache::open();
mt_srand((int) $seed);

for (;;) {
    $n = mt_rand(0, LOCKS - 1);
    // 0: bound, until it is released; 1: bound, with a lease; 2: with a token, so that only its lease ends it.
    $lock = match ($n) {
        0 => $cache->lock('lock.0'),
        1 => $cache->lock('lock.1', LEASE),
        2 => $cache->lock('lock.2', LEASE, 'token ' . getmypid() . ' ' . mt_rand()),
    };
    $asked = hrtime(true);
    if ($lock->acquire(30)) {
        $granted = hrtime(true);
        // Granted at the latest now: until the lease ends, counted from the time when it was asked for at the earliest, nobody
        // else may be in.
        $last = $words->get($n);
        $fence = $lock->fence();
        if ($fence <= $last) {
            fault("lock $n: fence $fence after $last");
        }
        $words->set($n, $fence);
        usleep(mt_rand(0, 3000));
        $now = $words->get($n);
        if ($now !== $fence && (hrtime(true) - $asked) / 1e9 < ($n === 0 ? INF : LEASE)) {
            fault("lock $n: fence $now is in while $fence holds it");
        }
        if (!$lock->release() && (hrtime(true) - $asked) / 1e9 < ($n === 0 ? INF : LEASE)) {
            fault("lock $n: it was not held any more");
        }
    } else {
        fault("lock $n: not granted within 30 s");
    }
    if (mt_rand(0, 3) === 0) {
        $cache->delete('value.' . mt_rand(0, 2));
    }
    $start = hrtime(true);
    $value = $cache->remember('value.' . ($v = mt_rand(0, 2)), 60, function () use ($v) {
        usleep(mt_rand(0, 3000));
        return "value $v";
    }, wait: 30);
    if ($value !== "value $v" || hrtime(true) - $start > 20e9) {
        fault("value $v: $value after " . (hrtime(true) - $start) / 1e9 . ' s');
    }
}
