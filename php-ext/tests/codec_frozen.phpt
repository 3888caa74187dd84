--TEST--
The array codec: its bytes are those of docs/codec.md
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
$examples = [
    '01c3010203' => [1, 2, 3],
    '020a02826964857363 6f7265 d0 a240e201 a1d21e' => ['id' => 123456, 'score' => 7890],
    '020401826964 c2 d005 d006' => [['id' => 5], ['id' => 6]],
    '020902826964826e6f01f0 d0 f0 d101' => ['id' => 'id', 'no' => ['id' => 1]],
    '01bb02 00 8161 05 b1' => [0 => 'a', 5 => false],
    '01c4 b0b2b3000000000000f83fa8ff' => [null, true, 1.5, -256],
    '01c3 826162 e0 c0' => ['ab', 'ab', []],
];
foreach ($examples as $hex => $value) {
    $bytes = hex2bin(str_replace(' ', '', $hex));
    $owner->command('TSET', 'k', '6', $bytes);
    same($value, $c->get('k'), $hex);
    $c->set('own', $value);
    same(strlen($bytes), $c->find('own')->bytes, "$hex is what the encoder gives");
}
$one = 1;
$shared = [&$one, &$one];
$owner->command('TSET', 'r', '6', hex2bin('01c2be01bf00'));
$got = $c->get('r');
$got[0] = 7;
same([7, 7], $got, 'references');
echo 'done';
?>
--EXPECT--
done
