--TEST--
Lock::refresh()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n', 1.5);
same(false, $a->refresh(), 'not held');
$a->acquire();
for ($i = 0; $i < 4; $i++) {
    usleep(500_000);
    same(true, $a->refresh(), 'in time');
}
same([true, true], [$a->isHeld(), $a->refresh(60)], 'it is still held');
usleep(1_600_000);
same(true, $a->isHeld(), 'for longer');
same(false, $c->lock('n')->refresh(60), 'only by the holder');
same(true, $a->refresh(0.05), 'for a short time');
usleep(100_000);
same([false, false, false], [$a->isHeld(), $a->isLocked(), $a->refresh()], 'its lease is over');
$a->acquire();
same(true, $a->refresh(INF), 'until it is released');
usleep(300_000);
same(true, $a->isHeld(), 'until it is released');
echo 'done';
?>
--EXPECT--
done
