--TEST--
Cache::prefix(): views
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->prefix('a.');
$ab = $a->prefix('b.');
$ab->set('x', 1);
same([1, 1, 1], [$c->get('a.b.x'), $a->get('b.x'), $ab->get('x')], 'prefixes join');
same(['b.x'], $a->keys(), 'nothing hidden comes back');
same([['x', 1]], array_map(null, array_keys($all = iterator_to_array($ab->scan())), $all), 'scan');
same(['x' => 1], $ab->getMultiple(['x']), 'getMultiple');
same(1, $c->prefix('')->get('a.b.x'), 'an empty one');
same($c->isShared(), $ab->isShared(), 'the same cache');
same(1, $a->increment('n'), 'increment');
same(true, $a->touch('n', 10) && $a->add('m', 1) && $a->replace('m', 2) && $a->cas('m', $a->find('m')->version, 3), 'writes');
same([3, 1], [$c->get('a.m'), $c->get('a.n')], 'writes');
same(3, $a->pull('m'), 'pull');
echo 'done';
?>
--EXPECT--
done
