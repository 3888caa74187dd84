--TEST--
Cache::countPrefix(): a prefix that is longer than keys
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, '4097 bytes', fn () => cache()->countPrefix(str_repeat('a', 4097)));
echo 'done';
?>
--EXPECT--
done
