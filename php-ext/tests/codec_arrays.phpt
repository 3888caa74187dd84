--TEST--
The array codec: keys, order, nesting, shapes
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$values = [
    'list' => [1, 2, 3],
    'holes' => [0 => 'a', 2 => 'b'],
    'offset' => [5 => 'a', 6 => 'b'],
    'order' => ['b' => 1, 'a' => 2, 5 => 3, 0 => 4],
    'keys' => ['' => 1, '-5' => 2, '05' => 3, 5 => 4, '-0' => 5, ' 1' => 6, "\0" => 7, '9223372036854775808' => 8, PHP_INT_MAX => 9, PHP_INT_MIN => 10],
    'integers' => [0, 1, 127, 128, 255, 256, 65535, 65536, 1 << 24, 1 << 32, 1 << 40, 1 << 48, 1 << 56, PHP_INT_MAX, -1, -128, -129, -256, -257, -65537, PHP_INT_MIN],
    'scalars' => [null, false, true, 1.5, -0.0, INF, 1e308, ''],
    'strings' => array_map(fn ($n) => str_repeat(chr(97 + $n % 26), $n), [0, 1, 2, 31, 32, 33, 255, 287, 288, 300, 65535, 65536, 70000]),
    'repeated' => array_fill(0, 50, 'the same string again'),
    'empty' => [[], [[]], ['a' => []]],
    'rows' => array_map(fn ($i) => ['id' => $i, 'name' => "n$i", 'on' => $i % 2 === 0], range(0, 99)),
    'shapes' => [['a' => 1, 'b' => 2], ['b' => 1, 'a' => 2], ['a' => 3], ['a' => 4, 'b' => 5], ['a' => ['a' => 6, 'b' => ['a' => 7]]]],
    'tree' => ['v' => 1, 'next' => ['v' => 2, 'next' => ['v' => 3, 'next' => null]]],
    'wide' => array_combine(array_map(fn ($i) => "key$i", range(1, 64)), range(1, 64)),
    'wider' => array_combine(array_map(fn ($i) => "key$i", range(1, 400)), range(1, 400)),
    'key is value' => ['word' => 'word', 'other' => ['word', 'other', 'word']],
    'value is key' => [['some word'], ['some word' => 1]],
    'negative keys' => [-5 => 'a', -4 => 'b', PHP_INT_MIN => 'c'],
    'packed with holes' => (function () { $a = range(0, 99); foreach ([0, 7, 8, 50, 99] as $i) { unset($a[$i]); } return $a; })(),
    'a list in a hash' => (function () { $a = ['x' => 0, 0 => 'a', 1 => 'b']; unset($a['x']); return $a; })(),
    'a list out of order' => [1 => 'b', 0 => 'a'],
    'huge list' => range(0, 200_000),
    'huge map' => array_combine(array_map(fn ($i) => "key $i", range(1, 50_000)), range(1, 50_000)),
    'alike strings' => array_map(fn ($i) => sprintf('%08d%s%08d%s', 0, str_pad((string) $i, 24, '-'), 0, str_repeat('x', 40)), range(1, 3000)),
    'numeric value' => ['x' => '123', 'y' => ['123', '-5']],
];
foreach ($values as $name => $value) {
    for ($round = 0; $round < 3; ++$round) {  // the second and third decoding may use what the first left behind
        $c->set('k', $value);
        $entry = $c->find('k');
        same($value, $entry->value, $name);
        same('array', $entry->encoding, $name);
        if (function_exists('igbinary_serialize')) {
            same(true, $entry->bytes <= strlen(igbinary_serialize($value)), "$name is no longer than igbinary's");
        }
    }
}
for ($n = 0; $n < 70; ++$n) {  // many strings before they are named again
    $many[] = "string number $n";
}
for ($n = 0; $n < 70_000; $n += 7) {
    $many[] = "s$n";
}
$c->set('many', [$many, array_reverse($many)]);
same([$many, array_reverse($many)], $c->get('many'), 'strings are named by their number');
$next = [3 => 1];
unset($next[3]);
$next[] = 'x';
$c->set('next', $next);
$got = $c->get('next');
$got[] = 'y';
$plain = unserialize(serialize($next));
$plain[] = 'y';
same($plain, $got, 'the next free element');
$list = [1, 2, 3];
array_pop($list);
$c->set('list', $list);
$got = $c->get('list');
$got[] = 'y';
same([1, 2, 'y'], $got, 'the next free element of a list');
foreach ([[-5 => 1], [PHP_INT_MAX - 1 => 1], ['a' => 1], [3 => 1, 'a' => 2]] as $i => $value) {  // and of maps
    $c->set('map', $value);
    $got = $c->get('map');
    $got[] = 'y';
    $plain = unserialize(serialize($value));
    $plain[] = 'y';
    same($plain, $got, "the next free element of map $i");
}
echo 'done';
?>
--EXPECT--
done
