--TEST--
Lock::fence()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n', 60, 'token');
same(0, $a->fence(), 'not held');
$last = 0;
for ($i = 0; $i < 5; $i++) {
    $a->acquire();
    same(true, $a->fence() > $last, 'it rises');
    $last = $a->fence();
    $a->acquire();
    same($last, $a->fence(), 'but not for who holds it already');
    if ($i < 4) {
        $a->release();
    }
}
same([$last, 0], [$c->lock('n', 60, 'token')->fence(), $c->lock('n')->fence()], 'by the token');
$a->release();
same(0, $a->fence(), 'it is released');
$b = $c->lock('n');
$b->acquire();
same(true, $b->fence() > $last, 'over different owners');
if (is_shared_run()) {
    $before = $b->fence();
    Owner::common()->stop(9);
    Owner::common()->start();
    $again = $c->lock('n');
    same(true, $again->acquire(), 'a new owner knows of no lock');
    same(true, $again->fence() > $before, 'but of a higher number');
    same(false, $b->isHeld(), 'the old lock has ended');
}
echo 'done';
?>
--EXPECT--
done
