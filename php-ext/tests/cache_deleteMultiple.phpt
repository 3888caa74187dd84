--TEST--
Cache::deleteMultiple()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['a' => 1, 'b' => 2, 'c' => 3, '7' => 4]);
same(true, $c->deleteMultiple(['a', 'x', 7]), 'an array');
same(['b', 'c'], $c->keys(), 'removed');
same(true, $c->deleteMultiple(new ArrayIterator(['b'])), 'an iterator');
same(true, $c->deleteMultiple([]), 'nothing');
same(['c'], $c->keys(), 'removed');
echo 'done';
?>
--EXPECT--
done
