--TEST--
Cache::setMultiple()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same(true, $c->setMultiple(['a' => 1, 'b' => 'x', 'c' => ['y' => null], 'd' => new ArrayObject([2])], 100), 'an array');
same([1, 'x', ['y' => null]], array_values($c->getMultiple(['a', 'b', 'c'])), 'stored');
same([2], $c->get('d')->getArrayCopy(), 'objects');
same(true, $c->find('b')->ttl > 90, 'with the TTL');
same(true, $c->setMultiple(['0' => 'value0']), 'integer keys');
same('value0', $c->get('0'), 'integer keys');
same(true, $c->setMultiple((function () { yield 'g' => 1; yield 'g' => 2; yield 5 => 3; })()), 'a generator');
same([2, 3], [$c->get('g'), $c->get('5')], 'the last one wins');
same(true, $c->setMultiple([]), 'nothing');
same(true, $c->setMultiple(['a' => 5, 'b' => 6], 0), 'TTL 0 removes');
same([false, false], [$c->has('a'), $c->has('b')], 'TTL 0 removes');
$many = [];
for ($i = 0; $i < 3000; ++$i) {
    $many["many.$i"] = str_repeat(chr(65 + $i % 26), 1000);
}
same(true, $c->prefix('p.')->setMultiple($many), 'more than fits into one request');
same($many, $c->prefix('p.')->getMultiple(array_keys($many)), 'all there');
echo 'done';
?>
--EXPECT--
done
