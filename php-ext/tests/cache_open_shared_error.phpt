--TEST--
Cache::open(): another database, user or timeout is another connection
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = Owner::common();
$a = cache();
$a->set('k', 1);
same(1, cache('timeout=0.5')->get('k'), 'fractions of a second');
same(1, cache('prefault=yes')->get('k'), 'prefault');
same(1, cache('owner_uid=' . posix_getuid())->get('k'), 'owner_uid');
ini_set('coppice.owner_uid', '12345');
same('', ini_get('coppice.owner_uid'), 'coppice.owner_uid is php.ini\'s alone');
echo 'done';
?>
--EXPECT--
done
