--TEST--
Cache::deletePrefix(''): emptying a cache is clear()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
throws(Coppice\InvalidKeyException::class, 'clear()', fn () => $c->deletePrefix(''));
throws(Coppice\InvalidKeyException::class, 'clear()', fn () => $c->prefix('a')->deletePrefix(''));
throws(Coppice\InvalidKeyException::class, '5000 bytes', fn () => $c->deletePrefix(str_repeat('a', 5000)));
same(true, $c->has('a'), 'unchanged');
echo 'done';
?>
--EXPECT--
done
