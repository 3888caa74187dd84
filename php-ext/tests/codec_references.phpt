--TEST--
The array codec: references stay references
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$x = 1;
$c->set('k', ['a' => &$x, 'b' => &$x, 'c' => 1]);
$got = $c->get('k');
$got['a'] = 2;
same(['a' => 2, 'b' => 2, 'c' => 1], $got, 'two slots are one');
$again = $c->get('k');
same(['a' => 1, 'b' => 1, 'c' => 1], $again, 'each get has its own');
same(1, $x, 'and none is the writer\'s');
$rows = [['v' => 1], ['v' => 2]];
foreach ($rows as &$row) {
    $row['w'] = 0;
}
$c->set('rows', $rows);  // the last row still is a reference
$got = $c->get('rows');
$copy = $got;
$copy[1]['w'] = 5;
same(0, $got[1]['w'], 'a reference that nothing shares is a value');
$inner = [1];
$c->set('nested', [&$inner, [&$inner], 'x' => ['y' => &$inner]]);
$got = $c->get('nested');
$got[1][0][] = 2;
same([[1, 2], [[1, 2]], 'x' => ['y' => [1, 2]]], $got, 'references to arrays, at any depth');
$o = new stdClass();
$o->list = [&$x, &$x];
$c->set('o', [$o, $o, &$x]);
$got = $c->get('o');
same(true, $got[0] === $got[1], 'objects keep their identity');
$got[0]->list[0] = 9;
same(9, $got[0]->list[1], 'references inside objects');
same('serialized', $c->find('o')->encoding, 'by serialize()');
echo 'done';
?>
--EXPECT--
done
