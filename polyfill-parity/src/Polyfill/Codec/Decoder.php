<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Codec;

/**
 * Reads what docs/codec.md gives and refuses everything else. Each length and count is checked against the bytes that are
 * left before anything is made.
 *
 * @internal
 */
final class Decoder
{
    private const MAX_DEPTH = 1024;
    private const MAX_SHAPE_KEYS = 1024;
    /** Bytes that PHP takes for an array, an element and a string, about. */
    private const ARRAY_COST = 56;
    private const ELEMENT_COST = 32;

    private int $at = 0;
    private readonly int $end;
    /** @var list<non-empty-list<string>> */
    private array $shapes = [];
    /** @var list<string> */
    private array $keys = [];
    /** @var list<string> */
    private array $strings = [];
    /** @var array<int, Place> by number, those that are whole */
    private array $references = [];
    private int $referenceCount = 0;
    private int $elements = 0;
    private int $arrays = 0;

    private function __construct(private readonly string $bytes)
    {
        $this->end = strlen($bytes);
    }

    /**
     * Costs O(bytes). `$cost` becomes the bytes that the array takes in memory, about; 0 where it holds references, so
     * that two readers may not share it.
     *
     * @return array<mixed>
     * @throws Undecodable
     */
    public static function decode(string $bytes, int &$cost = 0): array
    {
        $decoder = new self($bytes);
        $array = $decoder->document();
        $cost = $decoder->referenceCount > 0 ? 0 : strlen($bytes) + $decoder->arrays * self::ARRAY_COST + $decoder->elements * self::ELEMENT_COST;
        return $array;
    }

    /** @return array<mixed> */
    private function document(): array
    {
        $form = $this->byte();
        if ($form === 2) {
            $length = $this->varint();
            if ($length > $this->end - $this->at) {
                throw new Undecodable();
            }
            $this->shapes($this->at + $length);
        } elseif ($form !== 1) {
            throw new Undecodable();
        }
        $value = $this->value(0);
        if ($this->at !== $this->end || !is_array($value)) {
            throw new Undecodable();
        }
        return $value;
    }

    private function byte(): int
    {
        if ($this->at >= $this->end) {
            throw new Undecodable();
        }
        return ord($this->bytes[$this->at++]);
    }

    private function varint(): int
    {
        $n = 0;
        for ($shift = 0; $shift < 35; $shift += 7) {
            $byte = $this->byte();
            $n |= ($byte & 0x7f) << $shift;
            if ($byte < 0x80) {
                return $n <= 0xffffffff ? $n : throw new Undecodable();
            }
        }
        throw new Undecodable();
    }

    /** A little-endian number of 1 to 8 bytes; negative where it is 2^63 or more. */
    private function number(int $length): int
    {
        if ($length > $this->end - $this->at) {
            throw new Undecodable();
        }
        if ($length === 1) {
            return ord($this->bytes[$this->at++]);
        }
        $n = 0;
        for ($i = $length - 1; $i >= 0; --$i) {
            $n = $n << 8 | ord($this->bytes[$this->at + $i]);
        }
        $this->at += $length;
        return $n;
    }

    private function take(int $length): string
    {
        if ($length > $this->end - $this->at) {
            throw new Undecodable();
        }
        $s = substr($this->bytes, $this->at, $length);
        $this->at += $length;
        return $s;
    }

    /** The length of the literal behind tag `$t`; null: it is no literal's. */
    private function literalLength(int $t): ?int
    {
        if ($t >= 0x80 && $t < 0xa0) {
            return $t - 0x80;
        }
        return match ($t) {
            0xb4 => 32 + $this->number(1),
            0xb5 => $this->number(2),
            0xb6 => $this->number(4),
            default => null,
        };
    }

    /** The string that a use names; null: `$t` is no use's. */
    private function use(int $t): ?string
    {
        if ($t >= 0xf0) {
            return $this->keys[$t - 0xf0] ?? throw new Undecodable();
        }
        if ($t >= 0xe0) {
            return $this->strings[$t - 0xe0] ?? throw new Undecodable();
        }
        return match ($t) {
            0xb7 => $this->strings[16 + $this->number(1)] ?? throw new Undecodable(),
            0xb8 => $this->strings[$this->number(2)] ?? throw new Undecodable(),
            0xb9 => $this->strings[$this->number(4)] ?? throw new Undecodable(),
            0xbd => $this->keys[16 + $this->varint()] ?? throw new Undecodable(),
            default => null,
        };
    }

    /**
     * A key that is a string; a literal gets its number in `$numbered`.
     *
     * @param list<string> $numbered
     */
    private function stringKey(int $t, array &$numbered): string
    {
        $key = $this->use($t);
        if ($key === null) {
            $key = $this->take($this->literalLength($t) ?? throw new Undecodable());
            if (isset($key[1])) {
                $numbered[] = $key;
            }
        }
        // A string that PHP takes for an integer is never a key.
        if ($key !== '' && $key[0] <= '9' && (string) (int) $key === $key) {
            throw new Undecodable();
        }
        return $key;
    }

    private function shapes(int $end): void
    {
        while ($this->at < $end) {
            $count = $this->varint();
            if ($count === 0 || $count > self::MAX_SHAPE_KEYS || $count > $this->end - $this->at) {
                throw new Undecodable();
            }
            $shape = [];
            for ($i = 0; $i < $count; ++$i) {
                if ($this->at >= $end) {
                    throw new Undecodable();
                }
                $key = $this->stringKey($this->byte(), $this->keys);
                if (isset($shape[$key])) {
                    throw new Undecodable();
                }
                $shape[$key] = true;
            }
            /** @var non-empty-list<string> $keys none of them looks like an integer */
            $keys = array_keys($shape);
            $this->shapes[] = $keys;
        }
        if ($this->at !== $end) {
            throw new Undecodable();
        }
    }

    private function value(int $depth): mixed
    {
        if ($this->at >= $this->end) {
            throw new Undecodable();
        }
        $t = ord($this->bytes[$this->at++]);
        if ($t < 0x80) {
            return $t;
        }
        if ($t < 0xa0) {
            $s = $this->take($t - 0x80);
            if (isset($s[1])) {
                $this->strings[] = $s;
            }
            return $s;
        }
        if ($t < 0xb0) {
            $n = $this->number(($t & 7) + 1);
            if ($n < 0) {
                throw new Undecodable();
            }
            return $t < 0xa8 ? $n : ~$n;
        }
        switch ($t) {
            case 0xb0:
                return null;
            case 0xb1:
                return false;
            case 0xb2:
                return true;
            case 0xb3:
                /** @var array{1: float} $double */
                $double = unpack('e', $this->take(8));
                return $double[1];
            case 0xba:
                return $this->list($this->varint(), $depth + 1);
            case 0xbb:
                return $this->map($this->varint(), $depth + 1);
            case 0xbc:
                return $this->shaped($this->varint(), $depth + 1);
            case 0xbe:
            case 0xbf:
                // Places that hold references take them by reference(); elsewhere there is none.
                throw new Undecodable();
        }
        if ($t >= 0xc0 && $t < 0xd0) {
            return $this->list($t - 0xc0, $depth + 1);
        }
        if ($t >= 0xd0 && $t < 0xe0) {
            return $this->shaped($t - 0xd0, $depth + 1);
        }
        $used = $this->use($t);
        if ($used !== null) {
            return $used;
        }
        $s = $this->take($this->literalLength($t) ?? throw new Undecodable());
        if (isset($s[1])) {
            $this->strings[] = $s;
        }
        return $s;
    }

    private function isReference(): bool
    {
        return $this->at < $this->end && ($this->bytes[$this->at] === "\xbe" || $this->bytes[$this->at] === "\xbf");
    }

    /** The place of the reference at hand, to be bound to. REQUIRES: isReference(). */
    private function reference(int $depth): Place
    {
        if ($this->byte() === 0xbf) {
            return $this->references[$this->varint()] ?? throw new Undecodable();
        }
        if ($this->isReference()) {
            throw new Undecodable();
        }
        $number = $this->referenceCount++;
        $place = new Place($this->value($depth));
        return $this->references[$number] = $place;
    }

    private function count(int $count, int $bytesEach, int $depth): void
    {
        if ($depth > self::MAX_DEPTH || $count > intdiv($this->end - $this->at, $bytesEach)) {
            throw new Undecodable();
        }
        ++$this->arrays;
        $this->elements += $count;
    }

    /** @return list<mixed> */
    private function list(int $count, int $depth): array
    {
        $this->count($count, 1, $depth);
        $array = [];
        for ($i = 0; $i < $count; ++$i) {
            if ($this->isReference()) {
                $place = $this->reference($depth);
                $array[] = &$place->value;
                unset($place);
            } else {
                $array[] = $this->value($depth);
            }
        }
        return $array;
    }

    /** @return array<mixed> */
    private function shaped(int $number, int $depth): array
    {
        $keys = $this->shapes[$number] ?? throw new Undecodable();
        $this->count(count($keys), 1, $depth);
        $array = [];
        foreach ($keys as $key) {
            if ($this->isReference()) {
                $place = $this->reference($depth);
                $array[$key] = &$place->value;
                unset($place);
            } else {
                $array[$key] = $this->value($depth);
            }
        }
        return $array;
    }

    /** @return array<mixed> */
    private function map(int $count, int $depth): array
    {
        if ($count === 0) {
            throw new Undecodable();
        }
        $this->count($count, 2, $depth);
        $array = [];
        for ($i = 0; $i < $count; ++$i) {
            $t = $this->byte();
            if ($t < 0x80 || $t >> 4 === 0xa) {
                --$this->at;
                /** @var int $key what these tags stand for */
                $key = $this->value($depth);
            } else {
                $key = $this->stringKey($t, $this->strings);
            }
            if (array_key_exists($key, $array)) {
                throw new Undecodable();
            }
            if ($this->isReference()) {
                $place = $this->reference($depth);
                $array[$key] = &$place->value;
                unset($place);
            } else {
                $array[$key] = $this->value($depth);
            }
        }
        return $array;
    }
}
