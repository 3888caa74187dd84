--TEST--
Cache::add(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => cache()->add('', 1));
throws(Coppice\SerializationException::class, 'can\'t be stored', fn () => cache()->add('a', fn () => 1));
same(false, cache()->has('a'), 'unchanged');
echo 'done';
?>
--EXPECT--
done
