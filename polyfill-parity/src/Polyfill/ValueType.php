<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * What a value's bytes mean: the numbers that stand on the wire (docs/codec.md, docs/typed-commands.md).
 *
 * @internal
 */
final class ValueType
{
    public const STRING = 0;
    public const INTEGER = 1;
    public const NULL = 2;
    public const FALSE = 3;
    public const TRUE = 4;
    public const DOUBLE = 5;
    public const ARRAY = 6;
    public const SERIALIZED = 7;
    public const IGBINARY = 8;
    /** The state of throttle(): no value of a script. */
    public const THROTTLE = 9;

    /** Hashes, sets and sorted sets (10 to 12) come from Redis's clients, and are no values either. */
    private const NAMES = ['string', 'int', 'null', 'bool', 'bool', 'float', 'array', 'serialized', 'igbinary', 'throttle', 'hash', 'set', 'sorted set'];

    /** Whether a script can read it. */
    public static function isValue(int $type): bool
    {
        return $type <= self::IGBINARY;
    }

    public static function name(int $type): string
    {
        return self::NAMES[$type] ?? 'unknown';
    }
}
