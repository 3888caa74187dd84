--TEST--
Lock::acquire()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n', 60);
$b = $c->lock('n', 60);
same([true, true], [$a->acquire(), $a->acquire()], 'again by the holder');
same(false, $b->acquire(), 'by nobody else');
$short = $c->lock('short', 0.2);
$next = $c->lock('short', 60);
same(true, $short->acquire(), 'a short lease');
same([true, true, false], [$next->acquire(5), $next->isHeld(), $short->isHeld()], 'who waits has it when it ends');
same(false, $short->release(), 'and it is not the first one\'s any more');
same(true, $next->isHeld(), 'and it is not the first one\'s any more');
$again = $c->lock('again', 0.05);
$again->acquire();
usleep(100_000);
same(true, $again->acquire(), 'one object, again after its lease');
same(true, $again->isHeld(), 'one object, again after its lease');
// Nobody waits for himself.
$x = $c->lock('x');
$x->acquire();
$start = microtime(true);
same(false, $c->lock('x')->acquire(INF), 'a wait for oneself has no end');
same(true, microtime(true) - $start < 5, 'so it is refused');
echo 'done';
?>
--EXPECT--
done
