--TEST--
Cache::clear() takes nothing
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(ArgumentCountError::class, 'exactly 0 arguments', fn () => cache()->clear('a.'));
echo 'done';
?>
--EXPECT--
done
