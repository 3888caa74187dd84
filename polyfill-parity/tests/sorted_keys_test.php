<?php

declare(strict_types=1);

/* The order of keys against a plain sorted array, by random operations. */

namespace Coppice\Tests;

use Coppice\Polyfill\Local\SortedKeys;

require __DIR__ . '/setup.php';

$seed = (int) (getenv('SEED') ?: random_int(1, 1_000_000));
mt_srand($seed);
/** @return list<string> */
$sorted = static function (array $model): array {
    $keys = array_map(strval(...), array_keys($model));
    sort($keys, SORT_STRING);
    return $keys;
};
foreach ([20, 300, 5000] as $space) {
    $keys = new SortedKeys();
    $model = [];
    $any = static fn (): string => ['', 'a', 'a.', "\xff", '5', 'b'][mt_rand(0, 5)] . mt_rand(0, $space);
    for ($step = 0; $step < 4000; ++$step) {
        $key = $any();
        if (isset($model[$key])) {
            $keys->remove($key);
            unset($model[$key]);
        } else {
            $keys->add($key);
            $model[$key] = true;
        }
        if (mt_rand(0, $space < 1000 ? 5 : 300) !== 0) {
            continue;
        }
        $prefix = ['', 'a', 'a.1', "\xff", '5', 'none', "\xff1", 'b2'][mt_rand(0, 7)];
        $after = mt_rand(0, 1) ? $any() : null;
        $within = array_values(array_filter($sorted($model), static fn (string $k): bool => str_starts_with($k, $prefix)));
        $behind = array_values(array_filter($within, static fn (string $k): bool => $after === null || strcmp($k, $after) > 0));
        if ($keys->countPrefix($prefix) !== count($within) || iterator_to_array($keys->after($prefix, $after), false) !== $behind) {
            same(true, false, "step $step of $space, prefix $prefix, after $after, seed $seed");
            break;
        }
        if (mt_rand(0, 9) === 0 && $prefix !== '') {
            same($within, $keys->cut($prefix), "what was cut, seed $seed");
            $model = array_filter($model, static fn (int|string $k): bool => !str_starts_with((string) $k, $prefix), ARRAY_FILTER_USE_KEY);
        }
    }
    same($sorted($model), iterator_to_array($keys->after('', null), false), "in the end, seed $seed");
    same(count($model), $keys->countPrefix(''), "count in the end, seed $seed");
    $keys->clear();
    same([0, []], [$keys->countPrefix(''), iterator_to_array($keys->after('', null), false)], 'after clear');
}
// Costs: a range among many keys looks at few of them, and deleting it is not a walk over the rest.
$keys = new SortedKeys();
for ($i = 0; $i < 200_000; ++$i) {
    $keys->add("key.$i");
}
$keys->countPrefix('');
$quickest = INF;
for ($i = 0; $i < 20; ++$i) {
    $keys->add("new.$i");
    $began = hrtime(true);
    $count = count($keys->cut('new.'));
    $quickest = min($quickest, hrtime(true) - $began);
    same(1, $count, 'cut');
}
$began = hrtime(true);
$n = 0;
foreach ($keys->after('', null) as $key) {
    $n += (int) str_starts_with($key, 'new.');
}
same(true, $quickest * 20 < hrtime(true) - $began, 'far below a full scan');

echo Count::$passed, ' passed, ', Count::$failed, " failed\n";
