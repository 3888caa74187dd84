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

    /**
     * Value and metadata, without making an object of them; null: an envelope that is none of ours.
     *
     * @return ?array<mixed>
     */
    public static function glance(mixed $stored, mixed &$value): ?array
    {
        if (!is_array($stored) || ($stored[0] ?? null) !== self::MARK) {
            $value = $stored;
            return [];
        }
        $value = $stored[1] ?? null;
        $metadata = $stored[2] ?? null;
        return is_array($metadata) ? $metadata : null;
    }

    public static function open(mixed $stored): mixed
    {
        if (!is_array($stored) || ($stored[0] ?? null) !== self::MARK) {
            return $stored;
        }
        $metadata = $stored[2] ?? null;
        if (!is_array($metadata)) {
            return $stored;
        }
        if ($metadata === []) {
            return $stored[1] ?? null;
        }
        /** @var class-string $wrapper */
        $wrapper = self::WRAPPER;
        return new $wrapper($stored[1] ?? null, $metadata);
    }
}
