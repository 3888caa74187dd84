<?php

declare(strict_types=1);

namespace Coppice\Symfony;

use Symfony\Component\Cache\CacheItem;

/**
 * The parts of Symfony's items and pools that its own adapters reach from their inside.
 *
 * @internal
 */
final class ItemAccess
{
    /** As Symfony's items have it, whose constant is their own. */
    private const EXPIRY_OFFSET = 1527506807;

    /** @var ?\Closure(CacheItem, float, float, ?array<mixed>): void */
    private static ?\Closure $note = null;
    /** @var ?\Closure(CacheItem): mixed */
    private static ?\Closure $pack = null;
    /** @var ?\Closure(string, mixed): CacheItem */
    private static ?\Closure $make = null;
    /** @var ?\Closure(string, bool): CacheItem */
    private static ?\Closure $missing = null;
    /** @var ?\Closure(CacheItem, int): ?float */
    private static ?\Closure $ttl = null;
    /** @var ?\Closure(CacheItem): list<string> */
    private static ?\Closure $tags = null;
    /** @var ?\Closure(string, mixed): CacheItem */
    private static ?\Closure $makeTagged = null;
    /** @var ?\Closure(CacheItem): array<string, mixed> */
    private static ?\Closure $packTagged = null;

    /**
     * Notes expiry and compute time in an item, as Symfony does for what its get() has computed.
     *
     * @param ?array<mixed> $metadata
     */
    public static function noteComputed(CacheItem $item, float $began, ?array &$metadata): void
    {
        self::$note ??= \Closure::bind(static function (CacheItem $item, float $began, float $now, ?array &$metadata): void {
            if ($item->expiry > $now) {
                $item->newMetadata[CacheItem::METADATA_EXPIRY] = $metadata[CacheItem::METADATA_EXPIRY] = $item->expiry;
                $item->newMetadata[CacheItem::METADATA_CTIME] = $metadata[CacheItem::METADATA_CTIME] = (int) ceil(1000 * ($now - $began));
            } else {
                unset($metadata[CacheItem::METADATA_EXPIRY], $metadata[CacheItem::METADATA_CTIME], $metadata[CacheItem::METADATA_TAGS]);
            }
        }, null, CacheItem::class);
        (self::$note)($item, $began, microtime(true), $metadata);
    }

    /** The value with what metadata there is. */
    public static function pack(CacheItem $item): mixed
    {
        self::$pack ??= \Closure::bind(static fn (CacheItem $item): mixed => $item->pack(), null, CacheItem::class);
        return (self::$pack)($item);
    }

    /** A hit. */
    public static function item(string $key, mixed $packed): CacheItem
    {
        self::$make ??= \Closure::bind(static function (string $key, mixed $packed): CacheItem {
            $item = new CacheItem();
            $item->key = $key;
            $item->value = $packed;
            $item->isHit = true;
            $item->unpack();
            return $item;
        }, null, CacheItem::class);
        return (self::$make)($key, $packed);
    }

    /** A miss, of a tag-aware pool or another. */
    public static function missing(string $key, bool $isTaggable): CacheItem
    {
        self::$missing ??= \Closure::bind(static function (string $key, bool $isTaggable): CacheItem {
            $item = new CacheItem();
            $item->key = $key;
            $item->isTaggable = $isTaggable;
            return $item;
        }, null, CacheItem::class);
        return (self::$missing)($key, $isTaggable);
    }

    /** Seconds; null: for ever; 0 or less: it is over. */
    public static function ttl(CacheItem $item, int $default): ?float
    {
        self::$ttl ??= \Closure::bind(static function (CacheItem $item, int $default): ?float {
            if ($item->expiry === null) {
                return $default > 0 ? (float) $default : null;
            }
            return $item->expiry ? $item->expiry - microtime(true) : null;
        }, null, CacheItem::class);
        return (self::$ttl)($item, $default);
    }

    /** @return list<string> those that the item is to have */
    public static function tags(CacheItem $item): array
    {
        self::$tags ??= \Closure::bind(
            static function (CacheItem $item): array {
                /** @var array<string> $tags */
                $tags = $item->newMetadata[CacheItem::METADATA_TAGS] ?? [];
                return array_values($tags);
            },
            null,
            CacheItem::class
        );
        return (self::$tags)($item);
    }

    /**
     * What a tag-aware pool keeps of an item: its value, tags and times.
     *
     * @return array<string, mixed>
     */
    public static function packTagged(CacheItem $item): array
    {
        self::$packTagged ??= \Closure::bind(static function (CacheItem $item): array {
            /** @var array{tags?: array<string>, expiry?: float, ctime?: int} $metadata */
            $metadata = $item->newMetadata;
            $packed = ['value' => $item->value, 'tags' => array_keys($metadata[CacheItem::METADATA_TAGS] ?? [])];
            if (isset($metadata[CacheItem::METADATA_EXPIRY])) {
                $packed['meta'] = pack('VN', (int) (0.1 + $metadata[CacheItem::METADATA_EXPIRY] - CacheItem::METADATA_EXPIRY_OFFSET), $metadata[CacheItem::METADATA_CTIME] ?? 0);
            }
            return $packed;
        }, null, CacheItem::class);
        return (self::$packTagged)($item);
    }

    /**
     * Value and metadata of what a tag-aware pool keeps; null: it is nothing of a pool's.
     *
     * @return ?array<mixed>
     */
    public static function glanceTagged(mixed $packed, mixed &$value): ?array
    {
        if (!is_array($packed) || !array_key_exists('value', $packed)) {
            return null;
        }
        /** @var array{value: mixed, tags?: list<string>, meta?: string} $packed */
        $value = $packed['value'];
        $metadata = [CacheItem::METADATA_TAGS => isset($packed['tags']) ? array_combine($packed['tags'], $packed['tags']) : []];
        if (isset($packed['meta'])) {
            /** @var array{e: int, c: int} $times */
            $times = unpack('Ve/Nc', $packed['meta']);
            $metadata[CacheItem::METADATA_EXPIRY] = $times['e'] + self::EXPIRY_OFFSET;
            $metadata[CacheItem::METADATA_CTIME] = $times['c'];
        }
        return $metadata;
    }

    /** A hit of a tag-aware pool. */
    public static function taggedItem(string $key, mixed $packed): CacheItem
    {
        self::$makeTagged ??= \Closure::bind(static function (string $key, mixed $packed): CacheItem {
            $item = new CacheItem();
            $item->key = $key;
            $item->isTaggable = true;
            if (!is_array($packed) || !array_key_exists('value', $packed)) {
                return $item;
            }
            /** @var array{value: mixed, tags?: list<string>, meta?: string} $packed */
            $item->isHit = true;
            $item->value = $packed['value'];
            $item->metadata[CacheItem::METADATA_TAGS] = isset($packed['tags']) ? array_combine($packed['tags'], $packed['tags']) : [];
            if (isset($packed['meta'])) {
                /** @var array{e: int, c: int} $times */
                $times = unpack('Ve/Nc', $packed['meta']);
                $item->metadata[CacheItem::METADATA_EXPIRY] = $times['e'] + CacheItem::METADATA_EXPIRY_OFFSET;
                $item->metadata[CacheItem::METADATA_CTIME] = $times['c'];
            }
            return $item;
        }, null, CacheItem::class);
        return (self::$makeTagged)($key, $packed);
    }
}
