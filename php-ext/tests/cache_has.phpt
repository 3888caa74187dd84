--TEST--
Cache::has(): null and false are values
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['n' => null, 'f' => false]);
same([true, true, false], [$c->has('n'), $c->has('f'), $c->has('x')], 'has');
same([null, false, 'd'], [$c->get('n', 'd'), $c->get('f', 'd'), $c->get('x', 'd')], 'the default tells too');
echo 'done';
?>
--EXPECT--
done
