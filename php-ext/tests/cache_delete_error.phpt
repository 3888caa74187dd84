--TEST--
Cache::delete(): keys that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => cache()->delete(''));
throws(Coppice\InvalidKeyException::class, '5000 bytes', fn () => cache()->delete(str_repeat('x', 5000)));
echo 'done';
?>
--EXPECT--
done
