--TEST--
Lock::isHeld(), isLocked() and owner()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n');
$b = $c->lock('n');
same([false, false], [$a->isHeld(), $a->isLocked()], 'free');
$a->acquire();
same([true, true, false, true], [$a->isHeld(), $a->isLocked(), $b->isHeld(), $b->isLocked()], 'held');
same([32, true, 'mine'], [strlen($a->owner()), $a->owner() !== $b->owner(), $c->lock('n', 1, 'mine')->owner()], 'tokens');
echo 'done';
?>
--EXPECT--
done
