--TEST--
Cache::delete()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a.1', 1);
$c->set('a.2', 2);
same(true, $c->delete('a.1'), 'there');
same(true, $c->delete('a.1'), 'not there: what was asked for holds');
same([null, 2], [$c->get('a.1'), $c->get('a.2')], 'only that one');
echo 'done';
?>
--EXPECT--
done
