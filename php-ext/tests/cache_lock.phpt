--TEST--
Cache::lock()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$a = $c->lock('n');
$b = $c->lock('n');
same(true, $a instanceof Coppice\Lock, 'a lock');
same([true, false, true], [$a->acquire(), $b->acquire(), $c->lock('other')->acquire()], 'one holder a name');
same([true, true], [$c->prefix('p.')->lock('n')->acquire(), $c->lock('p.n')->acquire()], 'prefixes are put before names');
$held = $c->prefix('p.')->lock('n');
same([true, false], [$held->acquire(), $c->lock('p.n')->acquire()], 'prefixes are put before names');
$c->clear();
$c->deletePrefix('n');
$c->set('n', 1);
$c->delete('n');
same([true, false], [$a->isHeld(), $c->has('n')], 'names are apart from keys');
same(true, $a->release(), 'release');
same(true, $b->acquire(), 'then it is free');
unset($b);
same(true, $c->lock('n')->acquire(), 'the end of the object frees it');
same(true, $c->lock(name: "\0\r\n", lease: 0.5, owner: "any\0bytes")->acquire(), 'any bytes');
echo 'done';
?>
--EXPECT--
done
