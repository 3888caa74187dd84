<?php
// A process of remember_test.py.   php remember_worker.php words role number seconds seed
//
// The source of key k is a number in a word that its writer counts up; a second word says which number's invalidation has
// returned. Whatever begins behind that may see no smaller number.
require __DIR__ . '/words.php';

const KEYS = 12;
const WRITERS = 2;

[, $key, $role, $number, $seconds, $seed] = $argv;
$words = new Words((int) $key);
$cache = Coppice\Cache::open();
mt_srand((int) $seed + 1000 * (int) $number);
$end = hrtime(true) + (int) ((float) $seconds * 1e9);
$source = fn (int $k) => 2 * $k;
$returned = fn (int $k) => 2 * $k + 1;
$name = fn (int $k) => 'group.' . $k % 4 . ".key.$k";
$tag = fn (int $k) => 'tag.' . $k % 3;
$counts = [];

$write = function () use ($words, $cache, $number, $source, $returned, $name, $tag, &$counts) {
    $k = WRITERS * mt_rand(0, intdiv(KEYS, WRITERS) - 1) + (int) $number;
    $version = $words->get($source($k)) + 1;
    $words->set($source($k), $version);
    $ways = [
        'delete' => fn () => $cache->delete($name($k)),
        'deletePrefix' => fn () => $cache->deletePrefix('group.' . $k % 4 . '.'),
        'invalidateTags' => fn () => $cache->invalidateTags('none', $tag($k)),
        'clear' => fn () => $cache->clear(),
        'set' => fn () => $cache->set($name($k), [$k, $version], 60, [$tag($k)]),
    ];
    $way = array_rand($ways);
    $ways[$way]();
    $words->set($returned($k), $version);
    $counts[$way] = ($counts[$way] ?? 0) + 1;
    usleep(mt_rand(0, 4000));
};

$read = function () use ($words, $cache, $number, $source, $returned, $name, $tag, &$counts) {
    $k = mt_rand(0, KEYS - 1);
    $least = $words->get($returned($k));
    $computed = false;
    // Each reader by other rules: plainly; with an eager refresh; with values that are stale soon; impatiently.
    [$ttl, $beta, $stale, $wait] = [[60, 0, 0, 5], [1, 50, 0, 5], [0.01, 1, 60, 5], [60, 1, 0, 0.002]][(int) $number % 4];
    $value = $cache->remember($name($k), $ttl, function (Coppice\Pending $p) use ($words, $source, $tag, $k, &$computed) {
        $computed = true;
        $p->tags($tag($k));
        $version = $words->get($source($k));
        usleep(mt_rand(0, 3000));
        return [$k, $version];
    }, $beta, $stale, $wait);
    if ($value[0] !== $k || $value[1] < $least) {
        fault("reader $number: key $k: version {$value[1]} of key {$value[0]} after the invalidation of $least had returned" . ($computed ? ' (computed)' : ''));
    }
    // What is stored is bound in the same way.
    $least = $words->get($returned($k));
    $stored = $cache->get($name($k));
    if ($stored !== null && $stored[1] < $least) {
        fault("reader $number: get of key $k: version $stored[1] after the invalidation of $least had returned");
    }
    $counts['reads'] = ($counts['reads'] ?? 0) + 1;
    $counts['computed'] = ($counts['computed'] ?? 0) + (int) $computed;
};

while (hrtime(true) < $end) {
    $role === 'writer' ? $write() : $read();
}
echo json_encode($counts), "\n";
