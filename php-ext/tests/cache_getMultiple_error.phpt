--TEST--
Cache::getMultiple(): keys that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1);
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->getMultiple(['a', '']));
throws(Coppice\InvalidKeyException::class, 'a key must be a string, float given', fn () => $c->getMultiple(['a', 1.5]));
throws(Coppice\InvalidKeyException::class, 'array given', fn () => $c->getMultiple([[]]));
throws(TypeError::class, '#1 ($keys) must be of type', fn () => $c->getMultiple('a'));
throws(LogicException::class, 'mine', fn () => $c->getMultiple((function () { yield 'a'; throw new LogicException('mine'); })()));
throws(Error::class, 'by reference', function () use ($c) {
    foreach ($c->getMultiple(['1']) as &$v) {
    }
});
throws(Error::class, 'private', fn () => new Coppice\Pairs());
echo 'done';
?>
--EXPECT--
done
