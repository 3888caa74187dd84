--TEST--
Cache::isShared()
--FILE--
<?php
require __DIR__ . '/setup.inc';
same(is_shared_run(), cache()->isShared(), 'isShared');
echo 'done';
?>
--EXPECT--
done
