--TEST--
Cache::get(): keys that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->get(''));
throws(Coppice\InvalidKeyException::class, '4097 bytes', fn () => $c->get(str_repeat('k', 4097)));
throws(Coppice\InvalidKeyException::class, '4097 bytes with its prefix', fn () => $c->prefix('p')->get(str_repeat('k', 4096)));
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->prefix('p')->get(''));
throws(TypeError::class, 'must be of type string', fn () => $c->get([]));
throws(ArgumentCountError::class, 'at least 1 argument', fn () => $c->get());
same(true, $c->set(str_repeat('k', 4096), 1), 'the longest key');
same(1, $c->get(str_repeat('k', 4096)), 'the longest key');
echo 'done';
?>
--EXPECT--
done
