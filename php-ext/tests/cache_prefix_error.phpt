--TEST--
Cache::prefix(): a key must fit behind it
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
throws(Coppice\InvalidKeyException::class, 'the prefix has 4096 bytes in all', fn () => $c->prefix(str_repeat('p', 4096)));
throws(Coppice\InvalidKeyException::class, 'the prefix has 4096 bytes in all', fn () => $c->prefix('p')->prefix(str_repeat('p', 4095)));
same(true, $c->prefix(str_repeat('p', 4095))->set('k', 1), 'the longest');
echo 'done';
?>
--EXPECT--
done
