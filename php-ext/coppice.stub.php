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

    /** The owner can't be reached. Thrown by counters, locks and throttle() always, by everything else with on_error=throw. */
    class ConnectionException extends \RuntimeException implements CacheException
    {
    }

    /**
     * The store refused a value (too large, no room), or a lock (there are too many). Thrown by counters, locks and throttle()
     * always, by everything else with on_error=throw.
     */
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
     * Tags are any bytes, 1 to 1,024 of them, at most 4,096 to a key. They belong to the database: prefixes don't change them.
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
         * @phpstan-param list<string> $tags that invalidateTags() removes it by; those of the older value go with it
         * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException
         */
        public function set(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool {}

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
         * @phpstan-param list<string> $tags of each of them
         * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException before anything is stored
         */
        public function setMultiple(iterable $values, null|int|float|\DateInterval $ttl = null, array $tags = []): bool {}

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

        /**
         * Removes every entry that has one of these tags, at the cost of what they hold, and answers how many were live.
         *
         * @throws InvalidArgumentException a tag that is empty or too long
         */
        public function invalidateTags(string ...$tags): int {}

        /** Stores only where there is no live entry; says whether it did. @phpstan-param list<string> $tags */
        public function add(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool {}

        /** Stores only where there is a live entry; says whether it did. @phpstan-param list<string> $tags */
        public function replace(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool {}

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

        /**
         * The value; on a miss what $compute returns, which is stored. One caller in the whole host computes, the others wait
         * for it. A hit is a shared read and asks nobody. Null, false and empty arrays are values like any other.
         *
         * What invalidates the key meanwhile (delete, deletePrefix, invalidateTags of one of its tags, clear, or a plain set)
         * wins: the computed value still goes to its caller, but is not stored, and those who wait get a newer one. An
         * exception of $compute reaches its caller, nothing is stored, and the next who waits computes. Calls may be nested
         * in any order: the one that would close a circle computes by itself, without storing. So does the same
         * key inside its own $compute. If the owner can't be reached, each caller computes.
         *
         * A value that can't be serialized is returned with a warning, and not stored.
         *
         * @phpstan-param callable(Pending): mixed $compute
         * @phpstan-param float $beta how eagerly one caller computes anew before the TTL has passed, while the others have the old
         *     value: more eagerly the longer computing takes (XFetch). 0 never does; INF computes now
         * @phpstan-param float $stale seconds behind the TTL in which one caller computes anew and the others have the old value;
         *     everything else takes it for a miss
         * @phpstan-param float $wait seconds to wait for another's computation before computing without storing
         * @throws InvalidKeyException @throws InvalidArgumentException @throws WrongTypeException
         */
        public function remember(string $key, null|int|float|\DateInterval $ttl, callable $compute, float $beta = 1.0, float $stale = 0, float $wait = 5): mixed {}

        /**
         * A lock of this name, not acquired yet. It is among all processes that use the same owner; of a local store, among the
         * threads of this process. Names are apart from keys: nothing that removes entries touches a lock. They get this
         * handle's prefix.
         *
         * Without $owner a lock ends with the object, and with the process. With $owner, a token of the caller's, it lives on
         * until its lease ends, and whoever knows the token can release it.
         *
         * @phpstan-param float $lease seconds until the lock ends by itself; INF: not before it is released
         * @phpstan-param ?string $owner 1 to 256 bytes, not FORCE
         * @throws InvalidArgumentException an empty name, or one longer than 4,096 bytes with the prefix; a lease of 0 or less
         */
        public function lock(string $name, float $lease = INF, ?string $owner = null): Lock {}

        /** Frees every lock whose name this handle's prefix covers, whoever holds it. @throws ConnectionException */
        public function flushLocks(): bool {}

        /**
         * Takes $cost from what $key may spend, $limit in $per seconds, in one step (GCRA: it comes back evenly, not all at
         * once). A cost of 0 only looks. What is not allowed takes nothing.
         *
         * @throws InvalidKeyException @throws InvalidArgumentException @throws WrongTypeException the key holds a value
         * @throws ConnectionException @throws RefusedException
         */
        public function throttle(string $key, int $limit, float $per, int $cost = 1): Throttle {}

        /** The entry with what the cache knows of it; null is a miss. */
        public function find(string $key): ?Entry {}

        /**
         * Counts of the whole store, whatever this handle's prefix; decoded_*: of the decoded values that this process
         * keeps of all its stores.
         *
         * @phpstan-return array{backend: string, entries: int, used_memory: int, max_memory: int, hits: int, misses: int,
         *     evicted: int, expired: int, tags: int, tag_memberships: int, decoded_entries: int, decoded_bytes: int, decoded_limit: int,
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

        /** @var list<string> in bytewise order */
        public readonly array $tags;

        /** Length of the encoded value. */
        public readonly int $bytes;

        /** string, int, null, bool, float, array, serialized or igbinary. */
        public readonly string $encoding;

        private function __construct() {}
    }

    /**
     * What remember() gives to its $compute: how the value that is being computed is to be stored.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Pending
    {
        private function __construct() {}

        /** In place of remember()'s TTL; 0 or less: not at all. @throws InvalidArgumentException */
        public function ttl(null|int|float|\DateInterval $ttl): void {}

        /** With these tags, in place of those of an earlier call. @throws InvalidArgumentException */
        public function tags(string ...$tags): void {}

        /** Not at all: the value only goes to its caller, and who waits for it computes. */
        public function skip(): void {}
    }

    /**
     * What throttle() answers.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Throttle
    {
        public readonly bool $allowed;

        /** How much may still be spent at once. */
        public readonly int $remaining;

        /** Seconds after which the same cost will be allowed: 0 where it is, INF where it never will be. */
        public readonly float $retryAfter;

        private function __construct() {}
    }

    /**
     * A lock by name; see Cache::lock(). Every method throws ConnectionException where the owner can't be reached.
     *
     * A lock without a token of the caller's ends with the object, however the request ends. In a process forked from
     * the one that acquired it, the object is another lock, which is not held, and its end does nothing.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Lock
    {
        private function __construct() {}

        /**
         * Waits up to $wait seconds (INF: for ever) in a queue at the owner, and is granted in order. False: it was not free
         * in time, or waiting for it would have closed a circle of waiting processes. Where this lock is held already, its
         * lease begins anew.
         *
         * @throws InvalidArgumentException @throws ConnectionException @throws RefusedException
         */
        public function acquire(float $wait = 0): bool {}

        /** Ends it; false where it is not held (any more) by this owner. */
        public function release(): bool {}

        /** Ends it, whoever holds it; false where nobody does. */
        public function forceRelease(): bool {}

        /**
         * Its lease begins anew; false where it is not held (any more) by this owner.
         *
         * @phpstan-param ?float $lease seconds, INF: until released; null: as long as it was made for
         * @throws InvalidArgumentException
         */
        public function refresh(?float $lease = null): bool {}

        /** Whether this owner holds it. */
        public function isHeld(): bool {}

        /** Whether anybody holds it. */
        public function isLocked(): bool {}

        /** The token by which the holder is known. */
        public function owner(): string {}

        /**
         * A number that rises with each grant of the name, restarts of the owner included: what a resource is to compare, so
         * that a holder whose lock has ended unnoticed can do no harm. Of this object's grant, until it releases, and without asking
         * whether its lease has ended meanwhile; else of the owner's, and 0 where it does not hold the lock.
         */
        public function fence(): int {}
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
