<?php

declare(strict_types=1);

namespace Coppice\Symfony;

/**
 * How an item's metadata (expiry, compute time) is kept with its value: an array, which is read without making an object, in place of
 * Symfony's wrapper.
 *
 * @internal
 */
final class Envelope
{
    private const MARK = "\xA9\x01";
    /** Symfony's class of a value with metadata; its name is this one byte. */
    private const WRAPPER = "\xA9";

    public static function close(mixed $packed): mixed
    {
        if (is_object($packed) && $packed::class === self::WRAPPER) {
            ['value' => $value, 'metadata' => $metadata] = get_object_vars($packed);
            return [self::MARK, $value, $metadata];
        }
        // What looks like one of ours is put into one.
        return is_array($packed) && ($packed[0] ?? null) === self::MARK ? [self::MARK, $packed, []] : $packed;
    }

    public static function open(mixed $stored): mixed
    {
        if (!is_array($stored) || ($stored[0] ?? null) !== self::MARK) {
            return $stored;
        }
        if ($stored[2] === []) {
            return $stored[1];
        }
        /** @var class-string $wrapper */
        $wrapper = self::WRAPPER;
        return new $wrapper($stored[1], $stored[2]);
    }
}
