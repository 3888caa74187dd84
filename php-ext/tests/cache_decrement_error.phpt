--TEST--
Cache::decrement(): overflow
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('min', PHP_INT_MIN);
throws(Coppice\OverflowException::class, '', fn () => $c->decrement('min'));
throws(Coppice\OverflowException::class, 'smallest integer', fn () => $c->decrement('x', PHP_INT_MIN));
same(PHP_INT_MIN, $c->get('min'), 'unchanged');
echo 'done';
?>
--EXPECT--
done
