--TEST--
Cache::touch()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', [1], 10);
$before = $c->find('a');
same(true, $c->touch('a', 100), 'longer');
$after = $c->find('a');
same(true, $after->ttl > 90 && $after->value === [1], 'longer');
same(true, $after->version !== $before->version, 'a new version');
same(true, $c->touch('a', null), 'for ever');
same(null, $c->find('a')->ttl, 'for ever');
same(true, $c->touch('a', 5.5), 'a fraction');
same(true, $c->find('a')->ttl <= 5.5, 'a fraction');
same(false, $c->touch('x', 10), 'nothing there');
$c->touch('a', 0);
same(false, $c->has('a'), '0 removes');
echo 'done';
?>
--EXPECT--
done
