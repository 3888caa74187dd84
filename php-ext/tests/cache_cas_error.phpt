--TEST--
Cache::cas(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => cache()->cas('', 1, 1));
throws(TypeError::class, 'must be of type int', fn () => cache()->cas('a', 'x', 1));
echo 'done';
?>
--EXPECT--
done
