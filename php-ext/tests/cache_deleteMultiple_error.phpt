--TEST--
Cache::deleteMultiple(): keys that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->deleteMultiple(['a', '']));
throws(Coppice\InvalidKeyException::class, 'null given', fn () => $c->deleteMultiple(['a', null]));
same(true, $c->has('a'), 'nothing was removed');
echo 'done';
?>
--EXPECT--
done
