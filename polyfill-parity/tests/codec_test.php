<?php

declare(strict_types=1);

/* The array codec: the examples of docs/codec.md, random arrays both ways, and hostile bytes. */

namespace Coppice\Tests;

use Coppice\Polyfill\Codec\Decoder;
use Coppice\Polyfill\Codec\Encoder;
use Coppice\Polyfill\Codec\Undecodable;

require __DIR__ . '/setup.php';
require __DIR__ . '/../parity/values.php';

ini_set('memory_limit', '256M');
$one = 1;
$examples = [
    '01c3010203' => [1, 2, 3], '020a028269648573636f7265d0a240e201a1d21e' => ['id' => 123456, 'score' => 7890], '020401826964c2d005d006' => [['id' => 5], ['id' => 6]],
    '020902826964826e6f01f0d0f0d101' => ['id' => 'id', 'no' => ['id' => 1]], '01bb0200816105b1' => [0 => 'a', 5 => false], '01c4b0b2b3000000000000f83fa8ff' => [null, true, 1.5, -256],
    '01c3826162e0c0' => ['ab', 'ab', []], '01c2be01bf00' => [&$one, &$one],
];
foreach ($examples as $hex => $value) {
    same($hex, bin2hex((string) Encoder::encode($value)), "the bytes of $hex");
    same(serialize($value), serialize(Decoder::decode((string) hex2bin($hex))), "the value of $hex");
}
// The table of the document is the same.
preg_match_all('/^\| `(.+?)`.*\| `([0-9a-f ]+)` \|$/m', (string) file_get_contents(__DIR__ . '/../../docs/codec.md'), $m);
same(array_map(static fn (int|string $hex): string => (string) $hex, array_keys($examples)), array_map(static fn (string $s): string => str_replace(' ', '', $s), $m[2]), 'docs/codec.md has these examples');

$seed = (int) (getenv('SEED') ?: random_int(1, 1_000_000));
mt_srand($seed);
$documents = [];
for ($i = 0; $i < 3000; ++$i) {
    $value = ['v' => \Coppice\Parity\any_value(), \Coppice\Parity\any_value()];
    $bytes = (string) Encoder::encode($value);
    if (serialize(Decoder::decode($bytes)) !== serialize($value)) {
        same(true, false, "random value $i, seed $seed");
        break;
    }
    if (strlen($bytes) < 200) {
        $documents[] = $bytes;
    }
}
same(true, count($documents) > 100, 'random values come back');

// Whatever the bytes, the decoder gives an array or refuses, and takes no memory that was only announced.
$refused = 0;
foreach ($documents as $i => $bytes) {
    for ($n = 0; $n < 40; ++$n) {
        $broken = $bytes;
        match (mt_rand(0, 3)) {
            0 => $broken = substr($bytes, 0, mt_rand(0, strlen($bytes) - 1)),
            1 => $broken .= chr(mt_rand(0, 255)),
            2 => $broken[mt_rand(0, strlen($bytes) - 1)] = chr(mt_rand(0, 255)),
            3 => $broken = substr_replace($bytes, "\xba\xff\xff\xff\xff\x0f", mt_rand(1, strlen($bytes)), 0),
        };
        $before = memory_get_usage();
        try {
            Decoder::decode($broken);
        } catch (Undecodable) {
            ++$refused;
        }
        if (memory_get_usage() - $before > 1 << 20) {
            same(true, false, 'memory for ' . bin2hex($broken));
        }
    }
    if ($i > 400) {
        break;
    }
}
same(true, $refused > 1000, "hostile bytes are refused ($refused), seed $seed");
foreach (['', '01', '00', '03c0', '01c1', '01b0', '0182', '01ba8080808010', '01bbff', '01bb00', '01c1e0', '01c1f0', '01c1bf00', '01c2be01bf01', '01c1bebe01', '01d0', '0200d0', '020201', '02030181', '0201000101', '0203018135d001', '020501816181b0d0',
    '01bb020001000 1', '01bb01823132b0', '01c1a78000000000000080', '01c1a7ffffffffffffffff', '01c1b300', '01c1b600000080', '01c0c0', '02028101d0', '01c1be', '01be01'] as $hex) {
    $bytes = (string) hex2bin(str_replace(' ', '', $hex));
    try {
        $got = Decoder::decode($bytes);
        same('refused', $got, "hostile $hex");
    } catch (Undecodable) {
        ++Count::$passed;
    }
}
same(1024, strlen((string) Encoder::encode(\Coppice\Parity\nested(1024))) - 1, '1024 arrays inside each other');
throws(\Coppice\Polyfill\Codec\Unencodable::class, '1024 deep', static fn () => Encoder::encode(\Coppice\Parity\nested(1025)));
throws(Undecodable::class, '', static fn () => Decoder::decode("\x01" . str_repeat("\xc1", 1024) . "\xc0"));
$twice = [1];
$twice[] = &$twice;
$twice[] = &$twice;
throws(\Coppice\Polyfill\Codec\Unencodable::class, 'contains itself', static fn () => Encoder::encode($twice));

echo Count::$passed, ' passed, ', Count::$failed, " failed\n";
