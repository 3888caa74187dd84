--TEST--
Reported faults: locks
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
// laravel/framework#26213, in tenths of a second
[$a, $b, $d] = [$c->lock('x', 0.1), $c->lock('x', 60), $c->lock('x', 60)];
same(true, $a->acquire(), 'A');
usleep(200_000);
same([true, false, true, false], [$b->acquire(), $a->release(), $b->isHeld(), $d->acquire()], 'A can\'t release what B holds');
// symfony/symfony#38541
$again = $c->lock('y', 0.2);
same([true, true], [$again->acquire(), $again->release()], 'once');
usleep(300_000);
same([true, true], [$again->acquire(), $again->isHeld()], 'again with the same object');
// symfony/symfony#31426
$first = $c->lock('z', 0.3);
$second = $c->lock('z', 0.3);
$first->acquire();
same(true, $second->acquire(5), 'waits until the lease ends');
usleep(150_000);
same(true, $second->isHeld(), 'and has a whole one of its own');
echo 'done';
?>
--EXPECT--
done
