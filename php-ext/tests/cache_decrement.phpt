--TEST--
Cache::decrement()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same([-1, -3, 2], [$c->decrement('n'), $c->decrement('n', 2), $c->decrement('n', -5)], 'counts');
same(8, $c->decrement('i', 2, 10), 'initial');
echo 'done';
?>
--EXPECT--
done
