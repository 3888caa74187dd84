--TEST--
Lock::refresh(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$lock = cache()->lock('n', 60);
$lock->acquire();
foreach ([0.0, -1.0, NAN] as $lease) {
    throws(Coppice\InvalidArgumentException::class, 'the lease', fn () => $lock->refresh($lease));
}
same(true, $lock->isHeld(), 'still held');
echo 'done';
?>
--EXPECT--
done
