--TEST--
Pending::skip()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same([1, false], [$c->remember('a', 60, function ($p) { $p->skip(); return 1; }), $c->has('a')], 'the value only goes to its caller');
same([2, 2], [$c->remember('a', 60, fn () => 2), $c->get('a')], 'the next one is stored');
same([3, 2], [$c->remember('a', 60, function ($p) { $p->skip(); return 3; }, beta: INF), $c->get('a')], 'a refresh leaves the old one');
echo 'done';
?>
--EXPECT--
done
