--TEST--
Pending::tags()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->remember('a', 60, function ($p) { $p->tags('x', 'y', 'x'); return 1; });
$c->remember('b', 60, function ($p) { $p->tags('x'); $p->tags('z'); return 1; });
$c->remember('c', 60, function ($p) { $p->tags('x'); $p->tags(); return 1; });
same([['x', 'y'], ['z'], []], [$c->find('a')->tags, $c->find('b')->tags, $c->find('c')->tags], 'tags');
same([1, null, 1], [$c->invalidateTags('y'), $c->get('a'), $c->get('b')], 'lead to the key');
echo 'done';
?>
--EXPECT--
done
