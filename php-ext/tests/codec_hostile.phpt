--TEST--
The array codec: hostile bytes are a miss and a warning, never more
--INI--
coppice.decoded_memory=0
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = Owner::common();
$c = cache();
$one_shape = '0204' . '01826964';  // one shape: the key "id"
$hostile = [
    'nothing' => '', 'version only' => '01', 'another version' => '03c0', 'no array' => '0105', 'trailing' => '01c000',
    'cut list' => '01c301', 'cut string' => '01c1855364', 'huge list' => '01baffffffff0f', 'huge map' => '01bbffffffff0f',
    'huge string' => '01c1b6ffffffff', 'varint without end' => '01baffffffffffff', 'varint over 32 bits' => '01baffffffff7f',
    'string that is none' => '01c1e0', 'string 271 of none' => '01c1b7ff', 'string of 2 bytes that is none' => '01c1b80000', 'string of 4 bytes that is none' => '01c1b900000000',
    'string cut' => '01c1b7', 'shape that is none' => '01d0', 'shape 4294967295' => $one_shape . 'bcffffffff0f00', 'shape without a number' => $one_shape . 'bc',
    'key that is none' => '01c1f0', 'key 16 that is none' => '01c1bd00', 'key beyond all numbers' => '01c1bdffffffff0f', 'key cut' => '01c1bd',
    'reference that is none' => '01c1bf00', 'reference to itself' => '01c1bebf00', 'reference to a reference' => '01c1bebe01',
    'empty map' => '01bb00', 'key twice in a map' => '01bb028161008161 00', 'integer key twice' => '01bb0205000500',
    'array as a key' => '01bb01c000', 'null as a key' => '01bb01b000', 'numeric key in a map' => '01bb01823130 00', 'cut map' => '01bb02826162',
    'integer beyond 63 bits' => '01c1a7ffffffffffffffff', 'negative beyond 64 bits' => '01c1afffffffffffffffff', 'cut double' => '01c1b30000',
    'cut integer' => '01c1a300', 'too deep' => '01' . str_repeat('c1', 1025) . '00', 'reference cut' => '01c1be',
    'only shapes' => $one_shape, 'length of shapes only' => '0204', 'shapes without length' => '02', 'shapes longer than all' => '0205' . '01826964',
    'huge length of shapes' => '02ffffffff0f01826964d005', 'empty shape' => '020100c0', 'shape of 1025 keys' => '02' . '8410' . '8108' . str_repeat('8161', 1025) . 'c0',
    'fewer keys than said' => '0204' . '02826964d00505', 'keys beyond the shapes' => '0203' . '01826964d005', 'bytes behind the shapes' => '0205' . '01826964' . '81' . 'c0',
    'varint cut in shapes' => '0201' . '81c0', 'key twice in a shape' => '0205' . '0281618161' . 'd00000', 'key twice by its number' => '0205' . '02826964f0' . 'd00000',
    'numeric key in a shape' => '0203' . '018135' . 'd000', 'integer key in a shape' => '0202' . '0105' . 'd000', 'key of a shape that is no key' => '0202' . '01f0' . 'd000',
    'string of the values in a shape' => '0202' . '01e0' . 'd000', 'array in a shape' => '0202' . '01c0' . 'd000', 'shape without values' => $one_shape . 'd0',
    'second shape of one' => $one_shape . 'd105', 'shape in itself cut' => $one_shape . 'd0d0', 'too deep by shapes' => $one_shape . str_repeat('d0', 1025) . '05',
    'trailing behind a shape' => $one_shape . 'd00500', 'no array behind shapes' => $one_shape . '05', 'shapes in shapes' => '0204' . '01826964' . '02',
];
$again = array_merge(...array_fill(0, 4, array_keys($hostile)));  // the same shapes in front, so that they become known ones
foreach ($again as $what) {
    $hex = $hostile[$what];
    $owner->command('TSET', 'k', '6', hex2bin(str_replace(' ', '', $hex)));
    $texts = warnings(function () use ($c, $what) {
        same('default', $c->get('k', 'default'), $what);
    });
    same(1, count($texts), "$what: one warning");
    same(true, str_contains($texts[0] ?? '', 'the value of key "k" counts as a miss'), "$what: which says so");
}
$owner->command('TSET', 'k', '6', hex2bin('01' . str_repeat('c1', 1024) . '00'));
same(true, is_array($c->get('k')), 'as deep as can be written');
$good = ['shape of 1024 keys' => '02' . '8218' . '8008' . implode(array_map(fn ($i) => bin2hex("\x82" . chr(65 + intdiv($i, 256)) . chr($i % 256)), range(0, 1023))) . 'd0' . str_repeat('00', 1024),
    'as deep as shapes go' => $one_shape . str_repeat('d0', 1024) . '05', 'shapes that nothing uses' => '0208' . '01826964' . '0182696f' . 'd105', 'no shapes' => '0200c0'];
foreach ($good as $what => $hex) {
    for ($i = 0; $i < 3; ++$i) {
        $owner->command('TSET', 'k', '6', hex2bin($hex));
        same(true, is_array($c->get('k')), $what);
    }
}
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
