--TEST--
The array codec: more shapes and keys than a process remembers
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$check = function (array $value, int $times, string $what) use ($c): void {
    $c->set('k', $value);
    for ($i = 0; $i < $times; ++$i) {
        same($value, $c->get('k'), $what);
    }
};
$pool = array_map(fn ($i) => "key number $i of the pool", range(1, 200));
mt_srand(7);
$first = array_combine($pool, range(1, 200));
$check($first, 6, 'the first');
// Few keys in many orders: more bytes of schemas than are kept.
for ($i = 0; $i < 500; ++$i) {
    shuffle($pool);
    $check(array_combine($pool, range(1, 200)), 6, "order $i");
}
$check($first, 6, 'the first again');
// Many shapes of few keys: more schemas than there are places for.
for ($i = 0; $i < 3000; ++$i) {
    shuffle($pool);
    $check(array_fill_keys(array_slice($pool, 0, 5), $i), 3, "short shape $i");
}
// Keys that never come again: more bytes of them than are kept.
for ($i = 0; $i < 1000; ++$i) {
    $value = [];
    for ($k = 0; $k < 50; ++$k) {
        $value["a key of its own, $i.$k"] = ['v' => $k, "another key of its own, $i.$k" => "$i"];
    }
    $check($value, 4, "own keys $i");
}
$check($first, 6, 'the first after all');
same(true, memory_get_peak_usage() < 32 << 20, 'nothing piles up in the request');
echo 'done';
?>
--EXPECT--
done
