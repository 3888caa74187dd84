--TEST--
Cache::get(): values come back as they were
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$values = [
    null, false, true, 0, 1, -1, PHP_INT_MAX, PHP_INT_MIN, 0.0, -0.0, 1.5, INF, -INF, 1e-300, '', 'a', "\0", '123', '-5', "\xff\xfe",
    str_repeat('x', 31), str_repeat('x', 32), str_repeat('x', 40), str_repeat('x', 41), str_repeat('y', 10_001),
    str_repeat('z', 65_500), random_bytes(1 << 20), [], [null], [1, 'a' => 2],
];
foreach ($values as $i => $value) {
    same(true, $c->set("k$i", $value), "set $i");
    same($value, $c->get("k$i", 'default'), "get $i");
}
$c->set('nan', NAN);
same(true, is_nan($c->get('nan')), 'NAN');
same('-0', (string) $c->get('k9'), 'negative zero');
same(null, $c->get('missing'), 'a miss is null');
same([1], $c->get('missing', [1]), 'or the default');
$default = 'd';
$reference = &$default;
same('d', $c->get('missing', $reference), 'a default by reference');
$object = new ArrayObject(['x' => new ArrayObject([1])]);
$c->set('o', $object);
$object['x'] = 2;
$got = $c->get('o');
same([1], $got['x']->getArrayCopy(), 'a snapshot when it was stored');
$got['x'] = 3;
same([1], $c->get('o')['x']->getArrayCopy(), 'and when it was read');
$array = $c->get('k29');
$array[] = 5;
same([1, 'a' => 2], $c->get('k29'), 'arrays too');
echo 'done';
?>
--EXPECT--
done
