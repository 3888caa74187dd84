--TEST--
Cache::pull(): get and delete in one step
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
foreach ([1, 'text', str_repeat('x', 100), ['a' => [1]], null, new ArrayObject([1])] as $value) {
    $c->set('k', $value);
    $got = $c->pull('k', 'default');
    same(serialize($value), serialize($got), 'the value');
    same(false, $c->has('k'), 'gone');
}
same('default', $c->pull('k', 'default'), 'a miss');
same(null, $c->pull('k'), 'a miss');
echo 'done';
?>
--EXPECT--
done
