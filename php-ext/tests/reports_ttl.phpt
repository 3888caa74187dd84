--TEST--
Reported faults: TTLs
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('hello', 'h', -1);
same([false, null], [$c->has('hello'), $c->get('hello')], 'a negative TTL');
foreach ([2_678_400, new DateInterval('P80Y'), PHP_INT_MAX] as $ttl) {
    $c->set('k', 1, $ttl);
    same(1, $c->get('k'), 'alive now');
}
usleep(300_000);
$c->set('late', 1, 10);
usleep(500_000);
same(true, $c->find('late')->ttl > 5, 'the TTL begins when it is set, not when the request began');
echo 'done';
?>
--EXPECT--
done
