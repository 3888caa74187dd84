--TEST--
Cache::isShared() takes nothing
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(ArgumentCountError::class, 'exactly 0 arguments', fn () => cache()->isShared(1));
echo 'done';
?>
--EXPECT--
done
