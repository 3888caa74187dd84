--TEST--
Lock::acquire(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$lock = cache()->lock('n');
throws(Coppice\InvalidArgumentException::class, 'the wait can\'t be -1', fn () => $lock->acquire(-1));
throws(Coppice\InvalidArgumentException::class, 'the wait is not a number', fn () => $lock->acquire(NAN));
same(false, $lock->isLocked(), 'not acquired');
echo 'done';
?>
--EXPECT--
done
