--TEST--
The array codec: hostile bytes are a miss and a warning, never more
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = Owner::common();
$c = cache();
$hostile = [
    'nothing' => '', 'version only' => '01', 'another version' => '02c0', 'no array' => '0105', 'trailing' => '01c000',
    'cut list' => '01c301', 'cut string' => '01c1855364', 'huge list' => '01baffffffff0f', 'huge map' => '01bbffffffff0f',
    'huge string' => '01c1b6ffffffff', 'varint without end' => '01baffffffffffff', 'varint over 32 bits' => '01baffffffff7f',
    'string that is none' => '01c1e8', 'string 280 of none' => '01c1b7ff', 'shape that is none' => '01c1e0',
    'reference that is none' => '01c1bf00', 'reference to itself' => '01c1bebf00', 'reference to a reference' => '01c1bebe01',
    'empty map' => '01bb00', 'empty shape' => '01bc00', 'shape of 65 keys' => '01bc41' . str_repeat('8161', 65) . str_repeat('00', 65),
    'key twice in a shape' => '01d1816181610000', 'key twice in a map' => '01bb028161008161 00', 'integer key twice' => '01bb0205000500',
    'array as a key' => '01bb01c000', 'null as a key' => '01bb01b000', 'numeric key in a shape' => '01d0813500', 'numeric key in a map' => '01bb01823130 00',
    'integer beyond 63 bits' => '01c1a7ffffffffffffffff', 'negative beyond 64 bits' => '01c1afffffffffffffffff', 'cut double' => '01c1b30000',
    'cut integer' => '01c1a300', 'too deep' => '01' . str_repeat('c1', 1025) . '00', 'reference cut' => '01c1be', 'shape without values' => '01d08161',
    'shape in itself cut' => '01d08161e0',
];
foreach ($hostile as $what => $hex) {
    $owner->command('TSET', 'k', '6', hex2bin(str_replace(' ', '', $hex)));
    $texts = warnings(function () use ($c, $what) {
        same('default', $c->get('k', 'default'), $what);
    });
    same(1, count($texts), "$what: one warning");
    same(true, str_contains($texts[0] ?? '', 'the value of key "k" counts as a miss'), "$what: which says so");
}
$owner->command('TSET', 'k', '6', hex2bin('01' . str_repeat('c1', 1024) . '00'));
same(true, is_array($c->get('k')), 'as deep as can be written');
$planted = 0;
foreach (['1' => ['', '1x', '99999999999999999999', '-'], '5' => ['', '1234567', '123456789'], '7' => ['', 'O:8:"stdClass":1:{', 'x', 'i:1;i:2;', 'a:1:{i:0;']] as $type => $all) {
    foreach ($all as $bytes) {
        if ($owner->command('TSET', 'k', (string) $type, $bytes)[0] === '-') {
            continue;  // the owner does not take it
        }
        ++$planted;
        same(1, count(warnings(fn () => same('d', $c->get('k', 'd'), "type $type: $bytes"))), "type $type: $bytes");
    }
}
same(true, $planted >= 5, "$planted planted");
$strict = cache('', ['on_error' => 'throw']);
throws(Coppice\SerializationException::class, 'key "k" can\'t be decoded', fn () => $strict->get('k'));
$c->set('good', 1);
same(['k' => 'd', 'good' => 1], @$c->getMultiple(['k', 'good'], 'd'), 'getMultiple');
same(['good' => 1], @iterator_to_array($c->scan()), 'scan leaves it out');
same(null, @$c->find('k'), 'find');
same('d', @$c->pull('k', 'd'), 'pull');
echo 'done';
?>
--EXPECT--
done
