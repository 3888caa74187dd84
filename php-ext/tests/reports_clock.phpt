--TEST--
Reported faults: TTLs follow the monotonic clock, whatever the wall clock says
--SKIPIF--
<?php
is_executable('/usr/bin/faketime') or exit('skip needs faketime');
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
echo '';
$c = cache();
$c->set('k', 1, 0.2);
same(1, $c->get('k'), 'alive');
usleep(300_000);
same(false, $c->has('k'), 'gone');
echo 'done';
?>
--EXPECT--
done
