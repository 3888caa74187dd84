<?php

declare(strict_types=1);

/*
 * One of several processes, some with the extension and some without, that work on one owner at once:
 *
 *   php together.php DSN
 *
 * Writes what it has got as one line of JSON.
 */

require __DIR__ . '/../autoload.php';

$cache = Coppice\Cache::open($argv[1], ['on_error' => 'throw', 'timeout' => 20]);
// All begin at once.
$cache->increment('ready');
while ($cache->get('go') !== true) {
    usleep(1000);
}
$value = $cache->remember('cold', 60, static function () use ($cache): array {
    $cache->increment('computations');
    usleep(200_000);
    return ['computed' => true];
}, 1.0, 0, 20);
// What only a lock keeps right.
for ($i = 0; $i < 50; ++$i) {
    $lock = $cache->lock('counter', 10.0);
    if (!$lock->acquire(20)) {
        exit(1);
    }
    $cache->set('counter', $cache->get('counter', 0) + 1);
    $lock->release();
}
// What only one step keeps right.
$allowed = 0;
for ($i = 0; $i < 50; ++$i) {
    $cache->increment('steps');
    $allowed += (int) $cache->throttle('limit', 100, 3600.0)->allowed;
}
echo json_encode(['value' => $value, 'allowed' => $allowed]), "\n";
