--TEST--
Cache::increment(): what can't be counted stays as it was
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['s' => 'abc', 'f' => 1.5, 'a' => [1], 'n' => null, 'max' => PHP_INT_MAX, 'min' => PHP_INT_MIN]);
foreach (['s', 'f', 'a', 'n'] as $key) {
    throws(Coppice\WrongTypeException::class, '', fn () => $c->increment($key));
}
throws(Coppice\OverflowException::class, '', fn () => $c->increment('max'));
throws(Coppice\OverflowException::class, '', fn () => $c->increment('min', -1));
throws(Coppice\OverflowException::class, '', fn () => $c->increment('new', 1, PHP_INT_MAX));
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->increment(''));
throws(Coppice\InvalidArgumentException::class, 'not a number', fn () => $c->increment('new', 1, 0, NAN));
same(['abc', 1.5, [1], null, PHP_INT_MAX, PHP_INT_MIN], array_values($c->getMultiple(['s', 'f', 'a', 'n', 'max', 'min'])), 'unchanged');
same(false, $c->has('new'), 'nothing was made');
echo 'done';
?>
--EXPECT--
done
