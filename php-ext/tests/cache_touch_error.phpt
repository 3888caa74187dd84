--TEST--
Cache::touch(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
throws(Coppice\InvalidArgumentException::class, 'not a number', fn () => $c->touch('a', NAN));
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->touch('', 1));
same(null, $c->find('a')->ttl, 'unchanged');
echo 'done';
?>
--EXPECT--
done
