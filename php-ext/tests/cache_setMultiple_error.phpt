--TEST--
Cache::setMultiple(): all or nothing where the input is bad
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->setMultiple(['a' => 1, '' => 2]));
throws(Coppice\SerializationException::class, 'key "b"', fn () => $c->setMultiple(['a' => [1], 'b' => fn () => 1]));
throws(Coppice\InvalidArgumentException::class, 'not a number', fn () => $c->setMultiple(['a' => 1], NAN));
throws(Coppice\InvalidKeyException::class, 'array given', fn () => $c->setMultiple((function () { yield [] => 1; })()));
throws(LogicException::class, 'mine', fn () => $c->setMultiple((function () { yield 'a' => 1; throw new LogicException('mine'); })()));
throws(TypeError::class, '#1 ($values) must be of type', fn () => $c->setMultiple(1));
same([], $c->keys(), 'nothing was stored');
echo 'done';
?>
--EXPECT--
done
