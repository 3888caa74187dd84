--TEST--
The array codec: arrays of known shapes are the same as those of new ones
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$keys = fn (string $prefix, int $n) => array_map(fn ($i) => "$prefix$i", range(1, $n));
$values = [
    'one' => ['id' => 1],
    'row' => ['id' => 1, 'name' => 'x', 'price' => 1.5, 'on' => true, 'none' => null, 'tags' => ['a', 'b'], 'at' => '2024-01-01 00:00:00'],
    '40 shapes' => array_map(fn ($i) => [["a$i" => $i, 'b' => "b$i"], ['b' => $i], ["a$i" => "a$i", 'b' => 'b']], range(1, 40)),
    '300 shapes' => array_map(fn ($i) => ["key$i" => $i], range(1, 300)),
    'a shape in itself' => ['v' => 1, 'next' => ['v' => 2, 'next' => ['v' => 3, 'next' => []]]],
    '64 keys' => array_combine($keys('k', 64), $keys('v', 64)),
    '1024 keys' => array_combine($keys('key of the shape ', 1024), range(1, 1024)),
    '1025 keys' => array_combine($keys('key of the map ', 1025), range(1, 1025)),
    'short keys' => ['' => 1, 'a' => 2, 'b' => ['' => 3, 'a' => 4]],
    'values that are keys' => ['first' => 'second', 'second' => 'first', 'third' => ['second' => 'third', 'fourth' => 'fourth']],
    'values before keys' => [['later', 'now', 'later'], ['later' => 'now', 'now' => 'later'], ['later' => 1]],
    'many keys that are values' => array_combine($keys('w', 40), array_reverse($keys('w', 40))),
    'the same, then another shape' => [array_combine($keys('w', 40), array_reverse($keys('w', 40))), ['w1' => 'w2', 'w3' => 'x'], 'w4', 'x'],
    'bytes in keys' => ["\0" => 1, "\0\0" => 2, "a\0b" => 3, "\xff\xfe" => 4, str_repeat('long', 100) => 5],
    'holes' => (function () { $a = ['a' => 1, 'b' => 2, 'c' => 3]; unset($a['b']); return [$a, ['a' => 1, 'c' => 3], $a]; })(),
    'objects\' properties' => (array) new class { public $a = 1; protected $b = 'b'; private $c = [1]; },
];
for ($round = 1; $round <= 25; ++$round) {  // long shapes become known at their 18th sight
    foreach ($values as $name => $value) {
        $c->set('k', $value);
        same($value, $got = $c->get('k'), "$name, round $round");
        // Whatever is done to one leaves the next alone.
        foreach ($got as $key => &$each) {
            $each = 'changed';
        }
        unset($each, $got[array_key_first($got)]);
        $got['new'] = 1;
        $got[] = 2;
        $again = $c->get('k');
        same($value, $again, "$name, changed in round $round");
        array_walk_recursive($again, function (&$v) { $v = 0; });
        ksort($again);
        same($value, $c->get('k'), "$name, walked in round $round");
    }
}
// Keys serve as any others.
$c->set('k', ['alpha' => 1, 'beta' => ['alpha' => 2]]);
for ($i = 0; $i < 4; ++$i) {
    $got = $c->get('k');
}
same([1, 2, true, false], [$got['al' . 'pha'], $got['beta']['alpha'], isset($got['beta']), isset($got['gamma'])], 'found');
extract($got);
same(1, $alpha, 'extract');
$o = (object) $got;
same(1, $o->alpha, 'an object\'s properties');
same(['alpha', 'beta'], array_keys($got), 'array_keys');
same([1 => 'alpha'], array_flip(['alpha' => 1]), 'array_flip');
same(['alpha' => 1, 'beta' => 3], array_merge($got, ['beta' => 3]), 'array_merge');
$name = array_key_last($got);
$name .= '!';
same(['alpha', 'beta'], array_keys($c->get('k')), 'a key that a string grew from');
$sum = 0;
foreach (array_fill(0, 1000, ['k' => 1]) as $row) {
    $sum += $row['k'];
}
same(1000, $sum, 'rows');
echo 'done';
?>
--EXPECT--
done
