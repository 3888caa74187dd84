--TEST--
Cache::keys(): a negative limit
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidArgumentException::class, 'the limit is negative', fn () => cache()->keys('', null, -1));
throws(Coppice\InvalidKeyException::class, '5000 bytes', fn () => cache()->keys('', str_repeat('x', 5000)));
echo 'done';
?>
--EXPECT--
done
