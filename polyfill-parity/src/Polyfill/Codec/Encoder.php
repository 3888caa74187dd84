<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Codec;

/**
 * Writes arrays without objects as docs/codec.md has them, in the forms that the extension takes.
 *
 * Looking each element up for being a reference costs more than writing it, so an array is first written as if it held
 * none. serialize(), which is quick, then tells whether it does, and only then it is written again with care.
 *
 * @internal
 */
final class Encoder
{
    public const MAX_DEPTH = 1024;
    public const MAX_SIZE = 511 << 20;
    private const MAX_SHAPE_KEYS = 1024;
    /** Beyond these the quick way may be walking in circles. */
    private const QUICK_DEPTH = 24;
    private const QUICK_ELEMENTS = 500_000;

    private string $out = '';
    private string $shapes = '';
    /** @var array<string, int> joined keys => number */
    private array $shapeNumbers = [];
    /** @var list<list<string>> */
    private array $shapeKeys = [];
    private int $shapeCount = 0;
    /** @var array<int> string => number */
    private array $strings = [];
    /** @var array<int> string => number */
    private array $keys = [];
    /** @var array<string, int> id => number */
    private array $references = [];
    /** @var array<int, true> numbers of those that are being written */
    private array $open = [];
    private bool $hasObject = false;
    private int $elements = 0;

    private function __construct(private readonly bool $careful)
    {
    }

    /**
     * Null: there is an object in it. Costs O(elements).
     *
     * @param array<mixed> $array
     * @throws Unencodable a resource, a circle, too deep, too large
     */
    public static function encode(array $array): ?string
    {
        $encoder = new self(false);
        $encoder->array($array, 0);
        if (!$encoder->isQuick()) {
            return self::encodeCarefully($array);
        }
        if ($encoder->hasObject) {
            // Only what lies behind a reference may still be a resource or a circle; the careful way finds that.
            return self::encodeCarefully($array);
        }
        if (str_contains(serialize($array), ';R:')) {
            return self::encodeCarefully($array);
        }
        return $encoder->document();
    }

    /** @param array<mixed> $array */
    private static function encodeCarefully(array $array): ?string
    {
        $encoder = new self(true);
        $encoder->array($array, 0);
        return $encoder->hasObject ? null : $encoder->document();
    }

    private function isQuick(): bool
    {
        return $this->elements <= self::QUICK_ELEMENTS;
    }

    private function document(): string
    {
        $document = $this->shapeCount === 0
            ? "\x01" . $this->out
            : "\x02" . self::varint(strlen($this->shapes)) . $this->shapes . $this->out;
        if (strlen($document) > self::MAX_SIZE) {
            throw new Unencodable('it is larger than 511 MB');
        }
        return $document;
    }

    /** @param array<mixed> $array */
    private function array(array $array, int $depth): void
    {
        if ($depth >= ($this->careful ? self::MAX_DEPTH : self::QUICK_DEPTH)) {
            if ($this->careful) {
                throw new Unencodable('arrays are nested more than 1024 deep');
            }
            $this->elements = self::QUICK_ELEMENTS + 1;
        }
        $count = count($array);
        if (($this->elements += $count) > self::QUICK_ELEMENTS && !$this->careful) {
            return;
        }
        if (array_is_list($array)) {
            $this->out .= $count < 16 ? chr(0xc0 + $count) : "\xba" . self::varint($count);
            $this->values($array, $depth);
            return;
        }
        if ($count <= self::MAX_SHAPE_KEYS) {
            $keys = array_keys($array);
            $number = $this->shapeNumber($keys);
            if ($number !== null) {
                $this->out .= $number < 16 ? chr(0xd0 + $number) : "\xbc" . self::varint($number);
                $this->values($array, $depth);
                return;
            }
        }
        $this->out .= "\xbb" . self::varint($count);
        foreach ($array as $key => $value) {
            if (is_int($key)) {
                $this->integer($key);
            } else {
                $this->string($key);
            }
            if ($this->careful) {
                $this->element($array, $key, $value, $depth);
            } else {
                $this->value($value, $depth);
            }
        }
    }

    /** @param array<mixed> $array */
    private function values(array $array, int $depth): void
    {
        if ($this->careful) {
            foreach ($array as $key => $value) {
                $this->element($array, $key, $value, $depth);
            }
            return;
        }
        foreach ($array as $value) {
            if (is_string($value)) {
                $this->string($value);
            } elseif (is_int($value)) {
                $this->integer($value);
            } else {
                $this->value($value, $depth);
            }
        }
    }

    /** @param array<mixed> $array */
    private function element(array $array, int|string $key, mixed $value, int $depth): void
    {
        $reference = \ReflectionReference::fromArrayElement($array, $key);
        if ($reference === null) {
            $this->value($value, $depth);
            return;
        }
        $id = $reference->getId();
        $number = $this->references[$id] ?? null;
        if ($number !== null) {
            if (isset($this->open[$number])) {
                throw new Unencodable('the array contains itself');
            }
            $this->out .= "\xbf" . self::varint($number);
            return;
        }
        $this->references[$id] = $number = count($this->references);
        $this->open[$number] = true;
        $this->out .= "\xbe";
        $this->value($value, $depth);
        unset($this->open[$number]);
    }

    private function value(mixed $value, int $depth): void
    {
        if (is_string($value)) {
            $this->string($value);
        } elseif (is_int($value)) {
            $this->integer($value);
        } elseif (is_array($value)) {
            $this->array($value, $depth + 1);
        } elseif ($value === null) {
            $this->out .= "\xb0";
        } elseif (is_bool($value)) {
            $this->out .= $value ? "\xb2" : "\xb1";
        } elseif (is_float($value)) {
            $this->out .= "\xb3" . pack('e', $value);
        } elseif (is_object($value)) {
            $this->hasObject = true;
            $this->out .= "\xb0";
        } elseif ($this->careful) {
            throw new Unencodable('it contains a resource');
        } else {
            $this->elements = self::QUICK_ELEMENTS + 1;
        }
    }

    private function integer(int $n): void
    {
        if ($n >= 0 && $n < 0x80) {
            $this->out .= chr($n);
            return;
        }
        $tag = 0xa0;
        if ($n < 0) {
            $tag = 0xa8;
            $n = ~$n;
        }
        $bytes = pack('P', $n);
        $length = max(strlen(rtrim($bytes, "\0")), 1);
        $this->out .= chr($tag + $length - 1) . substr($bytes, 0, $length);
    }

    private static function literal(string $s): string
    {
        $n = strlen($s);
        return match (true) {
            $n < 32 => chr(0x80 + $n),
            $n < 32 + 256 => "\xb4" . chr($n - 32),
            $n <= 0xffff => "\xb5" . pack('v', $n),
            $n <= self::MAX_SIZE => "\xb6" . pack('V', $n),
            default => throw new Unencodable('it is larger than 511 MB'),
        } . $s;
    }

    private function string(string $s): void
    {
        if (!isset($s[1])) {
            $this->out .= $s === '' ? "\x80" : "\x81" . $s;
            return;
        }
        $number = $this->strings[$s] ?? null;
        if ($number !== null) {
            $this->out .= match (true) {
                $number < 16 => chr(0xe0 + $number),
                $number < 16 + 256 => "\xb7" . chr($number - 16),
                $number <= 0xffff => "\xb8" . pack('v', $number),
                default => "\xb9" . pack('V', $number),
            };
            return;
        }
        $key = $this->keys[$s] ?? null;
        if ($key !== null) {
            $this->out .= self::keyUse($key);
            return;
        }
        $this->strings[$s] = count($this->strings);
        $this->out .= self::literal($s);
    }

    private static function keyUse(int $number): string
    {
        return $number < 16 ? chr(0xf0 + $number) : "\xbd" . self::varint($number - 16);
    }

    /**
     * The number of the shape with these keys, which is written if it is new. Null: not all of them are strings.
     *
     * @param list<int|string> $keys
     */
    private function shapeNumber(array $keys): ?int
    {
        $joined = implode("\0", $keys);
        $number = $this->shapeNumbers[$joined] ?? null;
        if ($number !== null && $this->shapeKeys[$number] === $keys) {
            return $number;
        }
        foreach ($keys as $key) {
            if (is_int($key)) {
                return null;
            }
        }
        /** @var list<string> $keys */
        $this->shapeNumbers[$joined] = $number = $this->shapeCount++;
        $this->shapeKeys[] = $keys;
        $this->shapes .= self::varint(count($keys));
        foreach ($keys as $key) {
            $known = isset($key[1]) ? $this->keys[$key] ?? null : null;
            if ($known !== null) {
                $this->shapes .= self::keyUse($known);
                continue;
            }
            if (isset($key[1])) {
                $this->keys[$key] = count($this->keys);
            }
            $this->shapes .= self::literal($key);
        }
        return $number;
    }

    private static function varint(int $n): string
    {
        $bytes = '';
        for (; $n >= 0x80; $n >>= 7) {
            $bytes .= chr($n & 0x7f | 0x80);
        }
        return $bytes . chr($n);
    }
}
