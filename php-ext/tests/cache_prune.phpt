--TEST--
Cache::prune(): removes what has expired
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(array_fill_keys(range(1, 50), 'x'), 0.01);
$c->set('stays', 1);
usleep(100_000);
$removed = $c->prune();
same(true, $removed >= 0 && $removed <= 50, 'a number');
same(['stays'], $c->keys(), 'what stays');
same(1, $c->stats()['entries'], 'what stays');
same(0, $c->prune(), 'nothing more');
echo 'done';
?>
--EXPECT--
done
