--TEST--
Cache::prune() takes nothing
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(ArgumentCountError::class, 'exactly 0 arguments', fn () => cache()->prune(1));
echo 'done';
?>
--EXPECT--
done
