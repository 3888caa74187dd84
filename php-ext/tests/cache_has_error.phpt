--TEST--
Cache::has(): keys that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => cache()->has(''));
echo 'done';
?>
--EXPECT--
done
