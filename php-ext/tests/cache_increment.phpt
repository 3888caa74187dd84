--TEST--
Cache::increment(): atomic integers
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same([1, 2, 7, 4], [$c->increment('n'), $c->increment('n'), $c->increment('n', 5), $c->increment('n', -3)], 'counts');
same(4, $c->get('n'), 'an int comes back');
same(-1, $c->increment('a', -1), 'a missing key counts as 0');
same(12, $c->increment('i', 2, 10), 'or as $initial');
same(14, $c->increment('i', 2, 10), 'which an existing key ignores');
$c->set('x', 3);
same(4, $c->increment('x'), 'a stored int');
$c->set('t', 1, 60);
$c->increment('t', 1, 0, 1000);
$left = $c->find('t')->ttl;
same(true, $left <= 60 && $left > 50, 'an existing key keeps its TTL');
$c->increment('new', 1, 0, 50);
same(true, $c->find('new')->ttl <= 50, 'a new one gets its own');
same(null, $c->increment('e') ? $c->find('e')->ttl : 0, 'or none');
$c->set('max', PHP_INT_MAX - 1);
same(PHP_INT_MAX, $c->increment('max'), 'up to the end');
echo 'done';
?>
--EXPECT--
done
