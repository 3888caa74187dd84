--TEST--
Cache::flushLocks()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$locks = array_map(fn ($n) => $c->lock($n), ['a.1', 'a.2', 'b.1']);
foreach ($locks as $lock) {
    $lock->acquire();
}
$c->set('a.key', 1);
same(true, $c->prefix('a.')->flushLocks(), 'of a prefix');
same([false, false, true], array_map(fn ($l) => $l->isHeld(), $locks), 'of a prefix');
same([true, 1], [$c->flushLocks(), $c->get('a.key')], 'all, and no key');
same(false, $locks[2]->isHeld(), 'all');
same(true, $c->flushLocks(), 'none');
echo 'done';
?>
--EXPECT--
done
