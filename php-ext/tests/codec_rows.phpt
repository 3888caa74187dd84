--TEST--
The array codec: maps with the keys of the one before are encoded as they are alone
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$row = fn ($id, $name) => ['id' => $id, 'name' => $name, 'on' => false];
$text = fn (int $n) => str_repeat('x', $n);
$shared = 'shared';
$rows = [
    'integer' => $row(1, 2),
    'large' => $row(PHP_INT_MAX, PHP_INT_MIN),
    'negative' => $row(-1, -129),
    'float' => $row(1.5, -0.0),
    'others' => $row(null, true),
    'text' => $row(1, 'Ada L'),
    'as long as a key' => $row(1, 'Adam'),
    'a key' => $row(1, 'name'),
    'a key twice' => $row('on', 'id'),
    'the same twice' => $row('word', 'word'),
    'as long twice' => $row('words', 'swords'),
    'empty' => $row('', ''),
    'letters' => $row('a', 'a'),
    '31' => $row($text(31), 1),
    '32' => $row($text(32), $text(33)),
    '63' => $row(1, $text(63)),
    '64' => $row(1, $text(64)),
    'long' => $row($text(5000), $text(5000)),
    'nested' => $row([1, 2], ['id' => 1, 'name' => 2, 'on' => 3]),
    'reference' => (function () use (&$shared, $row) { $r = $row(1, 0); $r['name'] = &$shared; $r['on'] = &$shared; return $r; })(),
    'other order' => ['name' => 1, 'id' => 2, 'on' => 3],
    'less' => ['id' => 1, 'name' => 2],
    'more' => ['id' => 1, 'name' => 2, 'on' => 3, 'off' => 4],
    'a hole' => (function () use ($row) { $r = $row(1, 2); unset($r['name']); $r['off'] = 1; return $r; })(),
    'keys made anew' => array_combine(array_map(strrev(...), ['di', 'eman', 'no']), [1, 2, 3]),
    'an integer key' => ['id' => 1, 5 => 2, 'on' => 3],
    'nine' => array_combine(str_split('abcdefghi'), range(1, 9)),
    'a long key' => ['a key that is longer than sixty-three bytes, which is all that a bit can tell of its length' => 1, 'b' => $text(63)],
];
// Alone: after something of other keys. In a row: after one with the same keys.
$sizes = [];
foreach ($rows as $name => $value) {
    $c->set('between', ['something' => 'else']);
    $c->set("alone.$name", $value);
    $c->set('before', $row(7, 8));
    $c->set("row.$name", $value);
    $c->set("again.$name", $value);
    $sizes[$name] = $c->find("alone.$name")->bytes;
    foreach (['alone', 'row', 'again'] as $how) {
        if (serialize($c->get("$how.$name")) !== serialize($value)) {
            echo "$how.$name differs\n";
        }
        if ($c->find("$how.$name")->bytes !== $sizes[$name]) {
            echo "$how.$name has another size\n";
        }
    }
}
$r = $c->get('row.reference');
$r['name'] = 'changed';
var_dump($r['on'], count($sizes));
?>
--EXPECT--
string(7) "changed"
int(28)
