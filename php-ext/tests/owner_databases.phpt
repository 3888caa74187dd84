--TEST--
db= chooses a database
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$a = cache();
$b = cache('db=3');
$a->set('k', 'zero');
same(null, $b->get('k'), 'another database');
$b->set('k', 'three');
same(['zero', 'three'], [$a->get('k'), $b->get('k')], 'each its own');
$b->clear();
same([1, 0], [$a->countPrefix(), $b->countPrefix()], 'clear is of one');
same(1, count(warnings(fn () => same('d', cache('db=63')->get('k', 'd'), 'no such database'))), 'no such database');
echo 'done';
?>
--EXPECT--
done
