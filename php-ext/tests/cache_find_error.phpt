--TEST--
Cache::find(): bad input; entries can't be made or changed
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->find(''));
throws(Error::class, 'private', fn () => new Coppice\Entry());
throws(Error::class, 'readonly property', fn () => $c->find('a')->value = 2);
throws(Exception::class, 'not allowed', fn () => serialize($c->find('a')));
echo 'done';
?>
--EXPECT--
done
