--TEST--
The owner killed and restarted: misses, then the new one
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = Owner::common();
$c = cache();
$c->set('k', 'old');
$owner->stop(9);
usleep(400_000);  // until its lease has run out, what it acknowledged is read
same(1, count(warnings(function () use ($c) {
    same('d', $c->get('k', 'd'), 'a miss');
    same(false, $c->set('k', 1), 'a write fails');
})), 'one warning');
$owner->start();
$until = microtime(true) + 2;
while (!@$c->set('k', 'new') && microtime(true) < $until) {
    usleep(20_000);
}
same('new', $c->get('k'), 'the new owner, by itself');
same(['k'], $c->keys(), 'and only what it has');
echo 'done';
?>
--EXPECT--
done
