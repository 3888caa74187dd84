<?php

declare(strict_types=1);

namespace Coppice\Psr;

/**
 * Keys as both PSRs have them. The cache itself takes any bytes.
 *
 * @internal
 */
final class Keys
{
    public const RESERVED = '{}()/\@:';

    /** Why this is no key; null: it is one. */
    public static function fault(mixed $key): ?string
    {
        if (!is_string($key)) {
            return 'a key must be a string, ' . get_debug_type($key) . ' given';
        }
        if ($key === '') {
            return 'the key is empty';
        }
        return strpbrk($key, self::RESERVED) === false ? null : "the key \"$key\" has one of the characters " . self::RESERVED . ', which are reserved';
    }
}
