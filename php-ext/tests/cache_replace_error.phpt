--TEST--
Cache::replace(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => cache()->replace('', 1));
echo 'done';
?>
--EXPECT--
done
