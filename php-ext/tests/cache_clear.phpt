--TEST--
Cache::clear(): this handle's prefix only
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->prefix('a.');
$b = $c->prefix('b.');
$a->set('x', 1);
$b->set('x', 2);
$c->set('ab', 3);
same(true, $a->clear(), 'clear of a prefix');
same([null, 2, 3], [$a->get('x'), $b->get('x'), $c->get('ab')], 'the others stay');
same(true, $c->clear(), 'clear of all');
same([], $c->keys(), 'empty');
same(true, $c->clear(), 'clear of nothing');
$c->set('again', 1);
same(['again'], $c->keys(), 'and it goes on');
echo 'done';
?>
--EXPECT--
done
