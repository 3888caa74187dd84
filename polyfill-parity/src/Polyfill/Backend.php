<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * What a Cache handle works on: a store in this process, or an owner's. Keys are whole keys, the handle's prefix included,
 * and valid. TTLs are in milliseconds; null: for ever; 0: remove.
 *
 * @internal
 * @phpstan-type Stats array{entries: int, used_memory: int, max_memory: int, hits: int, misses: int, evicted: int, expired: int, tags: int, tag_memberships: int}
 */
interface Backend
{
    public const ALWAYS = 0;
    public const IF_ABSENT = 1;
    public const IF_PRESENT = 2;
    public const IF_VERSION = 3;

    public function isShared(): bool;

    /** @throws Failure */
    public function read(string $key): ?Record;

    /** The same with tags. @throws Failure */
    public function readWhole(string $key): ?Record;

    /** The same also of an entry beyond its deadline, while that waits for a refresh. @throws Failure */
    public function readRefreshable(string $key): ?Record;

    /**
     * @param list<string> $keys
     * @return list<?Record> in their order
     * @throws Failure
     */
    public function readMany(array $keys): array;

    /** Reads and removes. @throws Failure */
    public function take(string $key): ?Record;

    /** @throws Failure */
    public function has(string $key): bool;

    /** Whether the decoded form of a record, of about `$cost` bytes, may be kept in it. */
    public function mayKeep(Record $record, int $cost): bool;

    /**
     * Whether it was stored: false where the condition did not hold.
     *
     * @param list<string> $tags
     * @throws Failure
     */
    public function write(string $key, int $type, string $bytes, ?int $ttl, int $when, int $version, array $tags): bool;

    /**
     * Each on its own, in their order.
     *
     * @param list<array{string, int, string}> $values key, type, bytes
     * @param list<string> $tags
     * @throws Failure at least one was refused; the others are stored
     */
    public function writeMany(array $values, ?int $ttl, array $tags): void;

    /**
     * @param list<string> $keys
     * @throws Failure
     */
    public function eraseMany(array $keys): void;

    /** @throws Failure */
    public function increment(string $key, int $by, int $initial, ?int $ttlIfNew): int;

    /** @throws Failure */
    public function touch(string $key, ?int $ttl): bool;

    /** Removes what begins with the prefix, everything where it is empty. @throws Failure */
    public function clear(string $prefix): void;

    /** @throws Failure */
    public function erasePrefix(string $prefix): int;

    /** @throws Failure */
    public function countPrefix(string $prefix): int;

    /** @throws Failure */
    public function prune(): int;

    /**
     * @return Stats
     * @throws Failure
     */
    public function stats(): array;

    /**
     * A page of keys behind `$after`; whether it was the last.
     *
     * @return array{list<string>, bool}
     * @throws Failure
     */
    public function keys(string $prefix, ?string $after, int $limit): array;

    /**
     * The same with entries.
     *
     * @return array{list<array{string, Record}>, bool}
     * @throws Failure
     */
    public function scan(string $prefix, ?string $after, int $limit): array;

    /**
     * @param list<string> $tags
     * @throws Failure
     */
    public function invalidateTags(array $tags): int;

    /**
     * Asks to compute a key's value.
     *
     * @param ?int $wait ms to wait for another's computation; null: for ever
     * @param int $seen the version that is to be renewed; 0: none
     * @throws Failure
     */
    public function lease(string $key, ?int $wait, int $seen): Lease;

    /**
     * Ends a lease with a value; whether it was stored.
     *
     * @param list<string> $tags
     * @throws Failure the lease has ended, too
     */
    public function fill(int $token, string $key, int $type, string $bytes, ?int $ttl, ?int $stale, int $computeMicros, array $tags): bool;

    /** Ends a lease without one. */
    public function drop(int $token): void;

    /**
     * The fence; null: not granted.
     *
     * @param ?int $lease ms; null: until released
     * @param ?int $wait ms; null: for ever
     * @throws Failure
     */
    public function lock(string $name, string $owner, ?int $lease, ?int $wait, bool $bound): ?int;

    /** Null: whoever holds it. Whether it was held. @throws Failure */
    public function unlock(string $name, ?string $owner): bool;

    /** As unlock(), where that needs no new connection: with an older one the lock has ended already. */
    public function letGo(string $name, string $owner): void;

    /** @throws Failure */
    public function relock(string $name, string $owner, ?int $lease): bool;

    /**
     * Owner and fence; null: free.
     *
     * @return ?array{string, int}
     * @throws Failure
     */
    public function lockState(string $name): ?array;

    /** @throws Failure */
    public function flushLocks(string $prefix): void;

    /**
     * Whether it is allowed, what remains, and ms to wait (null: never).
     *
     * @return array{bool, int, ?int}
     * @throws Failure
     */
    public function throttle(string $key, int $limit, int $period, int $cost): array;
}
