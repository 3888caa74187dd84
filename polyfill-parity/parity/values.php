<?php

declare(strict_types=1);

namespace Coppice\Parity;

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}

final class Point
{
    public int $x = 1;
    public ?Point $next = null;
    protected string $hidden = 'h';

    public function __construct(private readonly int $y = 3)
    {
    }
}

final class Custom
{
    public array $seen = [];

    public function __serialize(): array
    {
        return ['v' => 1];
    }

    public function __unserialize(array $data): void
    {
        $this->seen = $data;
    }
}

final class ThrowsAsleep
{
    public function __serialize(): array
    {
        throw new \DomainException('asleep');
    }
}

final class ThrowsAwake
{
    public function __unserialize(array $data): void
    {
        throw new \DomainException('awake');
    }
}

/**
 * Values by name, of every type and size class that the encoding tells apart.
 *
 * @return array<string, mixed>
 */
function values(): array
{
    $one = 1;
    $shared = ['v' => 1];
    $point = new Point();
    $circle = new Point();
    $circle->next = $circle;
    $values = [
        'null' => null, 'false' => false, 'true' => true,
        'empty string' => '', 'one byte' => 'a', 'a NUL' => "\0", 'digits' => '123', 'bytes' => "\x80\xff\0é", 'serialized text' => 'O:8:"stdClass":0:{}',
        'long text' => str_repeat('lorem ', 100), '100 kB' => str_repeat("\0\1\2", 33_334),
        'zero' => 0, 'one' => 1, 'minus one' => -1, 'largest' => PHP_INT_MAX, 'smallest' => PHP_INT_MIN,
        '0.0' => 0.0, '-0.0' => -0.0, '1.5' => 1.5, 'NAN' => NAN, 'INF' => INF, '-INF' => -INF, 'tiny' => 5e-324, 'third' => 1 / 3,
        'empty array' => [], 'list' => [1, 2, 3], 'map' => ['a' => 1, 'b' => 2], 'holes' => [0 => 'a', 5 => false], 'mixed keys' => ['a' => 1, 7 => 2, '' => 3],
        'negative keys' => [-5 => 1, 3 => 2], 'unpacked list' => [1 => 'b', 0 => 'a'],
        'types' => [null, false, true, 0, -0.0, 1.5, '', 'x', [], [[]]],
        'repeated strings' => ['ab', 'ab', 'cd', 'ab', 'cd', 'x', 'x'], 'keys as values' => ['id' => 'id', 'no' => ['id' => 'no', 'other' => 'id']],
        'two references' => [&$one, &$one], 'references apart' => ['a' => [&$shared], 'b' => &$shared, 'c' => ['d' => [&$one, &$one]]],
        'deep' => nested(1024), 'object' => new \stdClass(), 'point' => $point, 'circle' => $circle, 'enum' => Suit::Hearts, 'enums' => ['s' => [Suit::Spades, Suit::Spades]],
        'custom' => new Custom(), 'date' => new \DateTimeImmutable('2020-02-03 04:05:06 UTC'), 'objects in arrays' => [['p' => new Point(4)], $point, $point], 'array object' => new \ArrayObject([1, 'a' => [2]]),
    ];
    foreach ([0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, 1 << 24, 1 << 32, 1 << 40, 1 << 48, 1 << 56] as $n) {
        $values["integers at $n"] = [$n - 1, $n, -$n, -$n - 1];
    }
    foreach ([15, 16, 255, 256, 300, 70_000] as $n) {
        $values["list of $n"] = range(1, $n);
    }
    foreach ([1, 31, 32, 287, 288, 65_535, 65_536] as $n) {
        $values["string of $n in an array"] = [str_repeat('s', $n), str_repeat('s', $n)];
    }
    foreach ([17, 300] as $n) {
        $values["$n shapes"] = array_map(static fn (int $i): array => ["k$i" => $i, 'common' => "k$i"], range(1, $n));
        $values["$n strings"] = array_merge($many = array_map(static fn (int $i): string => "string $i", range(1, $n)), array_reverse($many));
    }
    $values['1024 keys'] = array_combine($keys = array_map(static fn (int $i): string => "key.$i", range(1, 1024)), $keys);
    $values['1025 keys'] = $values['1024 keys'] + ['more' => 1];
    $values['rows'] = array_map(static fn (int $i): array => ['id' => $i, 'name' => "name $i", 'score' => $i / 7, 'tags' => ['a', "t$i"]], range(1, 50));
    return $values;
}

/** An array inside of so many. @return array<mixed> */
function nested(int $depth): array
{
    $array = [];
    for ($i = 1; $i < $depth; ++$i) {
        $array = [$array];
    }
    return $array;
}

/** A random value of a few elements. */
function any_value(int $depth = 0): mixed
{
    $strings = ['', 'a', 'id', 'name', '12', '-7', "\0\xff", 'some longer text that is no short literal', str_repeat('z', 300)];
    return match (mt_rand(0, $depth > 3 ? 6 : 9)) {
        0 => null,
        1 => (bool) mt_rand(0, 1),
        2 => mt_rand(-300, 300),
        3 => mt_rand(0, PHP_INT_MAX) * (mt_rand(0, 1) ? 1 : -1),
        4 => mt_rand(0, 1000) / 7,
        5, 6 => $strings[mt_rand(0, count($strings) - 1)],
        7 => array_map(static fn (): mixed => any_value($depth + 1), array_fill(0, mt_rand(0, 5), 0)),
        default => any_map($strings, $depth),
    };
}

/**
 * @param list<string> $strings
 * @return array<mixed>
 */
function any_map(array $strings, int $depth): array
{
    $map = [];
    for ($i = mt_rand(0, 6); $i > 0; --$i) {
        $map[mt_rand(0, 3) ? $strings[mt_rand(0, count($strings) - 1)] : mt_rand(-5, 20)] = any_value($depth + 1);
    }
    return $map;
}
