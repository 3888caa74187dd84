--TEST--
Cache::replace()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same([false, null], [$c->replace('a', 1), $c->get('a')], 'only where there is something');
$c->set('a', null);
same([true, 2], [$c->replace('a', 2), $c->get('a')], 'only where there is something');
echo 'done';
?>
--EXPECT--
done
