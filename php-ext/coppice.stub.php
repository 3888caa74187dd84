<?php

/**
 * The extension's whole interface, and the only source of it: arginfo, IDE stub and API page come from this file.
 *
 * @generate-class-entries
 * @generate-legacy-arginfo 80100
 */

namespace Coppice {

    /** Every exception of this library. */
    interface CacheException extends \Throwable
    {
    }

    /** A DSN, option, setting, TTL or argument that can't be used; the message names it. */
    class InvalidArgumentException extends \InvalidArgumentException implements CacheException
    {
    }

    /** A key that is empty, or longer than 4,096 bytes with the handle's prefix. */
    class InvalidKeyException extends InvalidArgumentException
    {
    }

    /** A counter would leave the range of int; it was left as it was. */
    class OverflowException extends \OverflowException implements CacheException
    {
    }

    /** The operation does not apply to what the key holds; it was left as it was. */
    class WrongTypeException extends \RuntimeException implements CacheException
    {
    }

    /** A value that can't be stored (closure, resource, recursive array …), or with on_error=throw can't be decoded. */
    class SerializationException extends \RuntimeException implements CacheException
    {
    }

    /** The owner can't be reached. Thrown by counters always, by everything else with on_error=throw. */
    class ConnectionException extends \RuntimeException implements CacheException
    {
    }

    /** The store refused a value (too large, no room). Thrown by counters always, by everything else with on_error=throw. */
    class RefusedException extends \RuntimeException implements CacheException
    {
    }

    /**
     * A handle on a cache. Keys are any bytes, 1 to 4,096 of them, ordered bytewise; values are whatever PHP can
     * serialize, and come back with their type, as snapshots.
     *
     * A TTL is in seconds (fractions count), or an interval from now; null means for ever, and 0 or less removes the
     * key. Misuse throws; a full or unreachable cache gives a miss, false, 0 or [] and an E_WARNING, unless
     * on_error=throw: of each kind of failure one a request, and one a minute in a request that goes on for longer.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Cache
    {
        /**
         * @phpstan-param string $dsn `local:[name]?option=…`, `unix://[user:password@]/path?option=…`, or `auto:` (coppice.dsn,
         *     else the environment's COPPICE_DSN, else `local:`)
         * @phpstan-param array<string, mixed> $options the same names; they win over the DSN's: prefix, on_error,
         *     allowed_classes, serializer; local: max_memory, max_value, policy; unix: db, timeout (seconds), prefault,
         *     owner_uid, user, password
         * @throws InvalidArgumentException an unknown scheme, option or value; a local store that is open already with
         *     other sizes
         */
        public static function open(string $dsn = "auto:", array $options = []): Cache {}

        private function __construct() {}

        /** The value, or $default on a miss. @throws InvalidKeyException @throws WrongTypeException */
        public function get(string $key, mixed $default = null): mixed {}

        /**
         * Stores the value in place of an older one, whose TTL goes with it. False where the cache can't be reached, or
         * refused the value (too large, no room) and keeps the older one. Where the owner gives no answer in time, whether
         * it took effect is not known.
         *
         * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException
         */
        public function set(string $key, mixed $value, null|int|float|\DateInterval $ttl = null): bool {}

        /** True also where there was nothing to remove; false only where the cache can't be reached. @throws InvalidKeyException */
        public function delete(string $key): bool {}

        /** Removes what this handle's prefix covers. */
        public function clear(): bool {}

        /**
         * Key => value in the order asked, $default for a miss: an array, or an iterator with string keys where a key
         * looks like an integer.
         *
         * @phpstan-param iterable<mixed, string|int> $keys
         * @phpstan-return iterable<string, mixed>
         * @throws InvalidKeyException
         */
        public function getMultiple(iterable $keys, mixed $default = null): iterable {}

        /**
         * One round trip to the owner for each MiB. False if any was refused; the others are stored.
         *
         * @phpstan-param iterable<string|int, mixed> $values
         * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException before anything is stored
         */
        public function setMultiple(iterable $values, null|int|float|\DateInterval $ttl = null): bool {}

        /**
         * False only where the cache can't be reached.
         *
         * @phpstan-param iterable<mixed, string|int> $keys
         * @throws InvalidKeyException
         */
        public function deleteMultiple(iterable $keys): bool {}

        /** Whether there is a live entry; null and false are values. @throws InvalidKeyException */
        public function has(string $key): bool {}

        /**
         * Removes every key that begins with $prefix, at the cost of what it holds, and answers how many were live.
         *
         * @throws InvalidKeyException an empty prefix: emptying a cache is clear()
         */
        public function deletePrefix(string $prefix): int {}

        /** Live entries whose key begins with $prefix. */
        public function countPrefix(string $prefix = ""): int {}

        /**
         * Keys in bytewise order, after $after where given; $limit 0 means all.
         *
         * @phpstan-return list<string>
         */
        public function keys(string $prefix = "", ?string $after = null, int $limit = 0): array {}

        /**
         * Key => value in bytewise order, read page by page: memory does not grow with the range, and what is deleted
         * or added meanwhile neither skips nor repeats another key.
         *
         * @phpstan-return \Traversable<string, mixed>
         */
        public function scan(string $prefix = "", ?string $after = null, int $limit = 0): \Traversable {}

        /** Stores only where there is no live entry; says whether it did. */
        public function add(string $key, mixed $value, null|int|float|\DateInterval $ttl = null): bool {}

        /** Stores only where there is a live entry; says whether it did. */
        public function replace(string $key, mixed $value, null|int|float|\DateInterval $ttl = null): bool {}

        /** Stores only while the entry still has this version (see find()); says whether it did. */
        public function cas(string $key, int $version, mixed $value, null|int|float|\DateInterval $ttl = null): bool {}

        /**
         * The new value. A missing key counts as $initial and gets $ttl; an existing one keeps its own.
         *
         * @throws WrongTypeException the value is not an integer
         * @throws OverflowException @throws ConnectionException @throws RefusedException @throws InvalidKeyException
         */
        public function increment(string $key, int $by = 1, int $initial = 0, null|int|float|\DateInterval $ttl = null): int {}

        /** As increment() by -$by. */
        public function decrement(string $key, int $by = 1, int $initial = 0, null|int|float|\DateInterval $ttl = null): int {}

        /** get() and delete() in one step. */
        public function pull(string $key, mixed $default = null): mixed {}

        /** Gives a live entry a new TTL, and with it a new version; says whether there was one. */
        public function touch(string $key, null|int|float|\DateInterval $ttl): bool {}

        /** The entry with what the cache knows of it; null is a miss. */
        public function find(string $key): ?Entry {}

        /**
         * Counts of the whole store, whatever this handle's prefix; decoded_*: of the decoded values that this process
         * keeps of all its stores.
         *
         * @phpstan-return array{backend: string, entries: int, used_memory: int, max_memory: int, hits: int, misses: int,
         *     evicted: int, expired: int, decoded_entries: int, decoded_bytes: int, decoded_limit: int,
         *     decoded_hits: int, decoded_misses: int, decoded_evictions: int, mapping_size?: int, mapping_bytes?: int}
         *     sizes in bytes; the last two for shared stores: the segment's size, and what of it may be resident
         */
        public function stats(): array {}

        /** Removes what has expired, and answers how many that were. */
        public function prune(): int {}

        /** A view of the same cache: every key gets $prefix behind this handle's own. @throws InvalidKeyException */
        public function prefix(string $prefix): Cache {}

        /** Whether other processes see the same entries. */
        public function isShared(): bool {}
    }

    /**
     * What find() answers.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Entry
    {
        public readonly mixed $value;

        /** Seconds left; null: for ever. */
        public readonly ?float $ttl;

        /** Of this write of this key; never given twice. For cas(). */
        public readonly int $version;

        /** Length of the encoded value. */
        public readonly int $bytes;

        /** string, int, null, bool, float, array, serialized or igbinary. */
        public readonly string $encoding;

        private function __construct() {}
    }

    /**
     * What scan() answers. Each iteration starts anew.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Scan implements \IteratorAggregate
    {
        private function __construct() {}

        public function getIterator(): \Iterator {}
    }

    /**
     * What getMultiple() answers where an array would turn keys into integers.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Pairs implements \IteratorAggregate, \Countable
    {
        private function __construct() {}

        public function getIterator(): \Iterator {}

        public function count(): int {}
    }
}
