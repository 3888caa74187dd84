--TEST--
Cache::getMultiple()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['a' => 1, 'b' => [1, 2], 'c' => null, 'o' => new ArrayObject([1])]);
same(['c' => null, 'x' => 'd', 'a' => 1, 'b' => [1, 2]], $c->getMultiple(['c', 'x', 'a', 'b'], 'd'), 'in the order asked');
same(['a' => 1], $c->getMultiple(['a', 'a']), 'asked twice');
same([], $c->getMultiple([]), 'nothing');
same([1], $c->getMultiple(['o'])['o']->getArrayCopy(), 'objects');
same(['o' => [1], 'x' => 'd', 'a' => 1], array_map(fn ($v) => $v instanceof ArrayObject ? $v->getArrayCopy() : $v,
    $c->getMultiple(['o', 'x', 'o', 'a', 'x', 'o'], 'd')), 'objects and misses, named twice');
$by_reference = 'a';
$list = ['b', &$by_reference];
same(['b' => [1, 2], 'a' => 1], $c->getMultiple($list), 'a reference in the list');
$numbers = ['zero' => 0, 'minus' => -1, 'ten' => 1234567890, 'eight' => 12345678, 'nine' => -123456789, 'sixteen' => 1234567812345678,
    'max' => PHP_INT_MAX, 'min' => PHP_INT_MIN, 'text' => '007', 'long' => str_repeat('y', 5000)];
$c->setMultiple($numbers);
same($numbers, $c->getMultiple(array_keys($numbers)), 'integers of every length');
foreach ($numbers as $name => $value) {
    same($value, $c->get($name), $name);
}
same(['a' => 1, 'x' => null], $c->getMultiple((function () { yield 'a'; yield 'x'; })()), 'a generator');
same(['a' => 1], $c->getMultiple(new ArrayIterator(['a'])), 'an iterator');
$c->set('123', 'n');
$got = $c->getMultiple(['123', 'a', 7, '123'], 'd');
same(false, is_array($got), 'keys that look like integers make no array');
same(4, count($got), 'count');
foreach ([1, 2] as $round) {
    $seen = [];
    foreach ($got as $k => $v) {
        $seen[] = [$k, $v];
    }
    same([['123', 'n'], ['a', 1], ['7', 'd'], ['123', 'n']], $seen, "string keys, round $round");
}
$iterator = $got->getIterator();
same(['123', 'n'], [$iterator->key(), $iterator->current()], 'getIterator');
foreach ($iterator as $v);
same([null, null, false], [$iterator->key(), $iterator->current(), $iterator->valid()], 'behind the end there is null');
$iterator->next();
same(null, $iterator->current(), 'and stays');
$iterator->rewind();
same('n', $iterator->current(), 'until it is rewound');
$p = $c->prefix('p.');
for ($i = 0; $i < 100; ++$i) {
    $p->set("k$i", $i);
    $expected["k$i"] = $i;
}
same($expected, $p->getMultiple(array_keys($expected)), 'a hundred, with a prefix');
echo 'done';
?>
--EXPECT--
done
