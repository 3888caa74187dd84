--TEST--
Lock::release() and forceRelease()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n');
$b = $c->lock('n');
same([false, false], [$a->release(), $a->forceRelease()], 'nobody holds it');
$a->acquire();
same([false, true], [$b->release(), $a->isHeld()], 'only the holder');
same([true, false, false], [$a->release(), $a->release(), $a->isLocked()], 'once');
$a->acquire();
same([true, false, true], [$b->forceRelease(), $a->isHeld(), $b->acquire()], 'forced');
same([false, true], [$a->release(), $b->isHeld()], 'the new holder\'s lock is not the old one\'s');
unset($a);
same(true, $b->isHeld(), 'nor does the end of the old object end it');
// A token lets another object, or process, release.
$token = 'token of a job';
$x = $c->lock('job', 60, $token);
$x->acquire();
unset($x);
same(false, $c->lock('job')->acquire(), 'with a token it lives on');
same([true, true], [$c->lock('job', 60, $token)->isHeld(), $c->lock('job', 60, $token)->release()], 'and whoever knows the token releases it');
same(true, $c->lock('job')->acquire(), 'then it is free');
echo 'done';
?>
--EXPECT--
done
