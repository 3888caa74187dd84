<?php

declare(strict_types=1);

namespace Coppice;

use Coppice\Polyfill\Backend;
use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Make;
use Coppice\Polyfill\Options;
use Coppice\Polyfill\Remember;
use Coppice\Polyfill\Report;
use Coppice\Polyfill\Tags;
use Coppice\Polyfill\Ttl;
use Coppice\Polyfill\Values;
use Coppice\Polyfill\ValueType;

/**
 * A handle on a cache. Keys are any bytes, 1 to 4,096 of them, ordered bytewise; values are whatever PHP can
 * serialize, and come back with their type, as snapshots.
 *
 * A TTL is in seconds (fractions count), or an interval from now; null means for ever, and 0 or less removes the
 * key. Misuse throws; a full or unreachable cache gives a miss, false, 0 or [] and a warning, unless
 * on_error=throw: of each kind of failure one a request, and one a minute in a request that goes on for longer.
 *
 * Tags are any bytes, 1 to 1,024 of them, at most 4,096 to a key. They belong to the database: prefixes don't change them.
 *
 * This is the extension's class in PHP, loaded only where the extension is not: local: stores live for the request, and owners are
 * asked over RESP.
 */
final class Cache
{
    use Polyfill\Sealed;
    use Polyfill\Uncloneable;

    private const LONGEST_KEY = 4096;
    private const KEYS_PAGE = 1000;
    private const LARGEST_LIMIT = 1_000_000_000;
    private const LONGEST_PERIOD_MS = 3650 * 86_400_000;

    private function __construct(
        private readonly Backend $backend,
        private readonly Values $values,
        private readonly string $prefix,
        private readonly bool $throws,
    ) {
    }

    /**
     * @param string $dsn `local:[name]?option=…`, `unix://[user:password@]/path?option=…`, `redis://[user:password@]host[:port][/db]?option=…`,
     *     or `auto:` (coppice.dsn, else the environment's COPPICE_DSN, else `local:`)
     * @param array<string, mixed> $options the same names; they win over the DSN's: prefix, on_error,
     *     allowed_classes, serializer; local: max_memory, max_value, policy; owners: db, timeout (seconds), prefault,
     *     owner_uid, user, password
     * @throws InvalidArgumentException an unknown scheme, option or value; a local store that is open already with
     *     other sizes
     */
    public static function open(
        #[\SensitiveParameter] string $dsn = 'auto:',
        #[\SensitiveParameter] array $options = [],
    ): Cache {
        $o = Options::gather($dsn, $options);
        $backend = $o->scheme === 'local' ? Polyfill\Local\LocalBackend::open($o) : Polyfill\Resp\RespBackend::open($o);
        return new self($backend, new Values($o->throws, $o->igbinary, $o->allowedClasses), $o->prefix, $o->throws);
    }

    /** The value, or $default on a miss. @throws InvalidKeyException @throws WrongTypeException */
    public function get(string $key, mixed $default = null): mixed
    {
        $whole = $this->whole($key);
        try {
            $record = $this->backend->read($whole);
        } catch (Failure $e) {
            $this->unread($e, 'Cache::get');
            return $default;
        }
        $value = null;
        return $record !== null && $this->values->decode($record, $whole, 'Cache::get', $value, $this->backend) ? $value : $default;
    }

    /**
     * Stores the value in place of an older one, whose TTL goes with it. False where the cache can't be reached, or
     * refused the value (too large, no room) and keeps the older one. Where the owner gives no answer in time, whether
     * it took effect is not known.
     *
     * @param list<string> $tags that invalidateTags() removes it by; those of the older value go with it
     * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException
     * @throws ConnectionException with on_error=throw
     * @throws RefusedException with on_error=throw
     */
    public function set(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool
    {
        return $this->store('Cache::set', $key, $value, $ttl, $tags, Backend::ALWAYS);
    }

    /** True also where there was nothing to remove; false only where the cache can't be reached. @throws InvalidKeyException */
    public function delete(string $key): bool
    {
        $whole = $this->whole($key);
        try {
            $this->backend->eraseMany([$whole]);
            return true;
        } catch (Failure $e) {
            return $this->failed($e, 'Cache::delete');
        }
    }

    /** Removes what this handle's prefix covers. */
    public function clear(): bool
    {
        try {
            $this->backend->clear($this->prefix);
            return true;
        } catch (Failure $e) {
            return $this->failed($e, 'Cache::clear');
        }
    }

    /**
     * Key => value in the order asked, $default for a miss: an array, or an iterator with string keys where a key
     * looks like an integer.
     *
     * @param iterable<mixed, string|int> $keys
     * @return iterable<string, mixed>
     * @throws InvalidKeyException
     */
    public function getMultiple(iterable $keys, mixed $default = null): iterable
    {
        $names = $this->names($keys);
        $records = [];
        try {
            $records = $this->backend->readMany(array_map(fn (string $name): string => $this->prefix . $name, $names));
        } catch (Failure $e) {
            $this->unread($e, 'Cache::getMultiple');
        }
        $isArray = true;
        $pairs = [];
        foreach ($names as $i => $name) {
            $record = $records[$i] ?? null;
            $value = null;
            // Among several keys what is no value is a miss.
            $hit = $record !== null && ValueType::isValue($record->type) && $this->values->decode($record, $name, 'Cache::getMultiple', $value, $this->backend);
            $pairs[] = [$name, $hit ? $value : $default];
            // A string that PHP would make an integer of is not one.
            $isArray = $isArray && ($name[0] > '9' || (string) (int) $name !== $name);
        }
        return $isArray ? array_column($pairs, 1, 0) : Make::object(Pairs::class, $pairs);
    }

    /**
     * One round trip to the owner for each MiB. False if any was refused; the others are stored.
     *
     * @param iterable<string|int, mixed> $values
     * @param list<string> $tags of each of them
     * @throws InvalidKeyException @throws SerializationException @throws InvalidArgumentException before anything is stored
     * @throws ConnectionException with on_error=throw
     * @throws RefusedException with on_error=throw
     */
    public function setMultiple(iterable $values, null|int|float|\DateInterval $ttl = null, array $tags = []): bool
    {
        $ms = Ttl::parse($ttl);
        $tags = Tags::check($tags);
        $names = [];
        $given = [];
        foreach ($values as $key => $value) {
            $names[] = $this->name($key);
            $given[] = $value;
        }
        $encoded = [];
        foreach ($names as $i => $name) {
            $encoded[] = [$this->prefix . $name, ...$this->values->encode($name, $given[$i])];
        }
        try {
            $this->backend->writeMany($encoded, $ms, $tags);
            return true;
        } catch (Failure $e) {
            return $this->failed($e, 'Cache::setMultiple');
        }
    }

    /**
     * False only where the cache can't be reached.
     *
     * @param iterable<mixed, string|int> $keys
     * @throws InvalidKeyException
     */
    public function deleteMultiple(iterable $keys): bool
    {
        $names = $this->names($keys);
        try {
            $this->backend->eraseMany(array_map(fn (string $name): string => $this->prefix . $name, $names));
            return true;
        } catch (Failure $e) {
            return $this->failed($e, 'Cache::deleteMultiple');
        }
    }

    /** Whether there is a live entry; null and false are values. @throws InvalidKeyException */
    public function has(string $key): bool
    {
        $whole = $this->whole($key);
        try {
            return $this->backend->has($whole);
        } catch (Failure $e) {
            return $this->unread($e, 'Cache::has');
        }
    }

    /**
     * Removes every key that begins with $prefix, at the cost of what it holds, and answers how many were live.
     *
     * @throws InvalidKeyException an empty prefix: emptying a cache is clear()
     */
    public function deletePrefix(string $prefix): int
    {
        if ($prefix === '') {
            throw new InvalidKeyException('deletePrefix() needs a prefix; emptying a cache is clear()');
        }
        $whole = $this->whole($prefix);
        try {
            return $this->backend->erasePrefix($whole);
        } catch (Failure $e) {
            return (int) $this->failed($e, 'Cache::deletePrefix');
        }
    }

    /** Live entries whose key begins with $prefix. */
    public function countPrefix(string $prefix = ''): int
    {
        $whole = $this->bound($prefix);
        try {
            return $this->backend->countPrefix($whole);
        } catch (Failure $e) {
            return (int) $this->failed($e, 'Cache::countPrefix');
        }
    }

    /**
     * Keys in bytewise order, after $after where given; $limit 0 means all.
     *
     * @return list<string>
     */
    public function keys(string $prefix = '', ?string $after = null, int $limit = 0): array
    {
        [$whole, $behind] = $this->range($prefix, $after, $limit);
        $cut = strlen($this->prefix);
        $keys = [];
        try {
            do {
                $wanted = $limit === 0 ? self::KEYS_PAGE : min(self::KEYS_PAGE, $limit - count($keys));
                [$page, $isLast] = $this->backend->keys($whole, $behind, $wanted);
                foreach ($page as $behind) {
                    $keys[] = substr($behind, $cut);
                }
            } while (!$isLast && $page !== [] && ($limit === 0 || count($keys) < $limit));
        } catch (Failure $e) {
            $this->failed($e, 'Cache::keys');
        }
        return $keys;
    }

    /**
     * Key => value in bytewise order, read page by page: memory does not grow with the range, and what is deleted
     * or added meanwhile neither skips nor repeats another key.
     *
     * @return \Traversable<string, mixed>
     */
    public function scan(string $prefix = '', ?string $after = null, int $limit = 0): \Traversable
    {
        [$whole, $behind] = $this->range($prefix, $after, $limit);
        return Make::object(Scan::class, fn (): Polyfill\ScanIterator => new Polyfill\ScanIterator(
            $this->backend,
            $this->values,
            $this->throws,
            $whole,
            $behind,
            $limit,
            strlen($this->prefix)
        ));
    }

    /**
     * Removes every entry that has one of these tags, at the cost of what they hold, and answers how many were live.
     *
     * @throws InvalidArgumentException a tag that is empty or too long
     */
    public function invalidateTags(string ...$tags): int
    {
        $list = Tags::check($tags);
        if ($list === []) {
            return 0;
        }
        try {
            return $this->backend->invalidateTags($list);
        } catch (Failure $e) {
            return (int) $this->failed($e, 'Cache::invalidateTags');
        }
    }

    /**
     * Stores only where there is no live entry; says whether it did.
     *
     * @param list<string> $tags
     */
    public function add(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool
    {
        return $this->store('Cache::add', $key, $value, $ttl, $tags, Backend::IF_ABSENT);
    }

    /**
     * Stores only where there is a live entry; says whether it did.
     *
     * @param list<string> $tags
     */
    public function replace(string $key, mixed $value, null|int|float|\DateInterval $ttl = null, array $tags = []): bool
    {
        return $this->store('Cache::replace', $key, $value, $ttl, $tags, Backend::IF_PRESENT);
    }

    /** Stores only while the entry still has this version (see find()); says whether it did. */
    public function cas(string $key, int $version, mixed $value, null|int|float|\DateInterval $ttl = null): bool
    {
        // Versions are positive: what is not fits no entry.
        return $this->store('Cache::cas', $key, $value, $ttl, [], Backend::IF_VERSION, max($version, 0));
    }

    /**
     * The new value. A missing key counts as $initial and gets $ttl; an existing one keeps its own.
     *
     * @throws WrongTypeException the value is not an integer
     * @throws OverflowException @throws ConnectionException @throws RefusedException @throws InvalidKeyException
     */
    public function increment(string $key, int $by = 1, int $initial = 0, null|int|float|\DateInterval $ttl = null): int
    {
        return $this->count($key, $by, $initial, $ttl, false);
    }

    /** As increment() by -$by. */
    public function decrement(string $key, int $by = 1, int $initial = 0, null|int|float|\DateInterval $ttl = null): int
    {
        return $this->count($key, $by, $initial, $ttl, true);
    }

    /** get() and delete() in one step. */
    public function pull(string $key, mixed $default = null): mixed
    {
        $whole = $this->whole($key);
        try {
            $record = $this->backend->take($whole);
        } catch (Failure $e) {
            $this->unread($e, 'Cache::pull');
            return $default;
        }
        $value = null;
        return $record !== null && $this->values->decode($record, $whole, 'Cache::pull', $value) ? $value : $default;
    }

    /** Gives a live entry a new TTL, and with it a new version; says whether there was one. */
    public function touch(string $key, null|int|float|\DateInterval $ttl): bool
    {
        $whole = $this->whole($key);
        $ms = Ttl::parse($ttl);
        try {
            return $this->backend->touch($whole, $ms);
        } catch (Failure $e) {
            return $this->failed($e, 'Cache::touch');
        }
    }

    /**
     * The value; on a miss what $compute returns, which is stored. One caller in the whole host computes, the others wait
     * for it. A hit is a read and asks nobody else. Null, false and empty arrays are values like any other.
     *
     * What invalidates the key meanwhile (delete, deletePrefix, invalidateTags of one of its tags, clear, or a plain set)
     * wins: the computed value still goes to its caller, but is not stored, and those who wait get a newer one. An
     * exception of $compute reaches its caller, nothing is stored, and the next who waits computes. Calls may be nested
     * in any order: the one that would close a circle computes by itself, without storing. So does the same
     * key inside its own $compute. If the owner can't be reached, each caller computes.
     *
     * A value that can't be serialized is returned with a warning, and not stored.
     *
     * @template T
     * @param callable(Pending): T $compute
     * @param float $beta how eagerly one caller computes anew before the TTL has passed, while the others have the old
     *     value: more eagerly the longer computing takes (XFetch). 0 never does; INF computes now
     * @param float $stale seconds behind the TTL in which one caller computes anew and the others have the old value;
     *     everything else takes it for a miss
     * @param float $wait seconds to wait for another's computation before computing without storing
     * @return T
     * @throws InvalidKeyException @throws InvalidArgumentException @throws WrongTypeException
     */
    public function remember(string $key, null|int|float|\DateInterval $ttl, callable $compute, float $beta = 1.0, float $stale = 0, float $wait = 5): mixed
    {
        $whole = $this->whole($key);
        Ttl::parse($ttl);
        if (!($beta >= 0)) {
            throw new InvalidArgumentException("beta can't be " . Ttl::shown($beta) . '; it is 0 or more');
        }
        $staleMs = Ttl::duration($stale, 'stale time', true);
        $waitMs = Ttl::duration($wait, 'wait', true);
        /** @var T $value */
        $value = (new Remember($this->backend, $this->values, $this->throws, $whole, $ttl, $compute, $beta, $staleMs, $waitMs))->run();
        return $value;
    }

    /**
     * A lock of this name, not acquired yet. It is among all processes that use the same owner; of a local store, among the
     * threads of this process. Names are apart from keys: nothing that removes entries touches a lock. They get this
     * handle's prefix.
     *
     * Without $owner a lock ends with the object, and with the process. With $owner, a token of the caller's, it lives on
     * until its lease ends, and whoever knows the token can release it.
     *
     * @param float $lease seconds until the lock ends by itself; INF: not before it is released
     * @param ?string $owner 1 to 256 bytes, not FORCE
     * @throws InvalidArgumentException an empty name, or one longer than 4,096 bytes with the prefix; a lease of 0 or less
     */
    public function lock(string $name, float $lease = INF, ?string $owner = null): Lock
    {
        $ms = Ttl::duration($lease, 'lease', false);
        $whole = $this->prefix . $name;
        $length = strlen($whole);
        if ($name === '') {
            throw new InvalidArgumentException("the lock's name is empty");
        }
        if ($length > self::LONGEST_KEY) {
            $with = $this->prefix === '' ? '' : ' with its prefix';
            throw new InvalidArgumentException("the lock's name has $length bytes$with; " . self::LONGEST_KEY . ' are the limit');
        }
        if ($owner !== null && ($owner === '' || strlen($owner) > 256)) {
            throw new InvalidArgumentException("the lock's owner token has " . strlen($owner) . ' bytes; it needs 1 to 256');
        }
        if ($owner !== null && strcasecmp($owner, 'FORCE') === 0) {
            throw new InvalidArgumentException("FORCE can't be the owner token of a lock");
        }
        return Make::object(Lock::class, $this->backend, $whole, $ms, $owner);
    }

    /** Frees every lock whose name this handle's prefix covers, whoever holds it. @throws ConnectionException */
    public function flushLocks(): bool
    {
        try {
            $this->backend->flushLocks($this->prefix);
            return true;
        } catch (Failure $e) {
            throw Report::exception($e);
        }
    }

    /**
     * Takes $cost from what $key may spend, $limit in $per seconds, in one step (GCRA: it comes back evenly, not all at
     * once). A cost of 0 only looks. What is not allowed takes nothing.
     *
     * @throws InvalidKeyException @throws InvalidArgumentException @throws WrongTypeException the key holds a value
     * @throws ConnectionException @throws RefusedException
     */
    public function throttle(string $key, int $limit, float $per, int $cost = 1): Throttle
    {
        $whole = $this->whole($key);
        $period = Ttl::duration($per, 'period', false) ?? PHP_INT_MAX;
        if ($period > self::LONGEST_PERIOD_MS) {
            throw new InvalidArgumentException("the period can't be " . Ttl::shown($per) . ' s; 3650 days are the longest');
        }
        if ($limit < 1 || $limit > self::LARGEST_LIMIT) {
            throw new InvalidArgumentException("the limit can't be $limit; it is 1 to " . self::LARGEST_LIMIT);
        }
        if ($cost < 0) {
            throw new InvalidArgumentException("the cost can't be $cost; 0 is the least");
        }
        try {
            [$allowed, $remaining, $after] = $this->backend->throttle($whole, $limit, $period, $cost);
        } catch (Failure $e) {
            throw Report::exception($e);
        }
        return Make::object(Throttle::class, $allowed, $remaining, $after === null ? INF : $after / 1000);
    }

    /** The entry with what the cache knows of it; null is a miss. */
    public function find(string $key): ?Entry
    {
        $whole = $this->whole($key);
        try {
            $record = $this->backend->readWhole($whole);
        } catch (Failure $e) {
            $this->unread($e, 'Cache::find');
            return null;
        }
        $value = null;
        if ($record === null || !$this->values->decode($record, $whole, 'Cache::find', $value, $this->backend)) {
            return null;
        }
        $ttl = $record->deadline === null ? null : max($record->deadline - Clock::now(), 0) / 1000.0;
        return Make::object(Entry::class, $value, $ttl, $record->version, $record->tags, $record->size, ValueType::name($record->type));
    }

    /**
     * Counts of the whole store, whatever this handle's prefix. Decoded values are not kept apart here, and nothing is mapped: those
     * figures are 0.
     *
     * @return array{backend: string, entries: int, used_memory: int, max_memory: int, hits: int, misses: int,
     *     evicted: int, expired: int, tags: int, tag_memberships: int, decoded_entries: int, decoded_bytes: int, decoded_limit: int,
     *     decoded_hits: int, decoded_misses: int, decoded_evictions: int, mapping_size?: int, mapping_bytes?: int}
     *     sizes in bytes; the last two for shared stores
     */
    public function stats(): array
    {
        $stats = ['entries' => 0, 'used_memory' => 0, 'max_memory' => 0, 'hits' => 0, 'misses' => 0, 'evicted' => 0, 'expired' => 0, 'tags' => 0, 'tag_memberships' => 0];
        try {
            $stats = $this->backend->stats();
        } catch (Failure $e) {
            $this->failed($e, 'Cache::stats');
        }
        $isShared = $this->backend->isShared();
        return ['backend' => $isShared ? 'shared' : 'local']
            + $stats
            + ['decoded_entries' => 0, 'decoded_bytes' => 0, 'decoded_limit' => 0, 'decoded_hits' => 0, 'decoded_misses' => 0, 'decoded_evictions' => 0]
            + ($isShared ? ['mapping_size' => 0, 'mapping_bytes' => 0] : []);
    }

    /** Removes what has expired, and answers how many that were. */
    public function prune(): int
    {
        try {
            return $this->backend->prune();
        } catch (Failure $e) {
            return (int) $this->failed($e, 'Cache::prune');
        }
    }

    /** A view of the same cache: every key gets $prefix behind this handle's own. @throws InvalidKeyException */
    public function prefix(string $prefix): Cache
    {
        $length = strlen($this->prefix) + strlen($prefix);
        if ($length >= self::LONGEST_KEY) {
            throw new InvalidKeyException("the prefix has $length bytes in all; a key needs to fit behind it, within 4096");
        }
        return new self($this->backend, $this->values, $this->prefix . $prefix, $this->throws);
    }

    /** Whether other processes see the same entries. */
    public function isShared(): bool
    {
        return $this->backend->isShared();
    }

    // ---- what the methods share

    /**
     * @param array<mixed> $tags
     */
    private function store(string $method, string $key, mixed $value, null|int|float|\DateInterval $ttl, array $tags, int $when, int $version = 0): bool
    {
        $whole = $this->whole($key);
        $ms = Ttl::parse($ttl);
        $list = $tags === [] ? [] : Tags::check($tags);
        [$type, $bytes] = $this->values->encode($whole, $value);
        try {
            return $this->backend->write($whole, $type, $bytes, $ms, $when, $version, $list);
        } catch (Failure $e) {
            return $this->failed($e, $method);
        }
    }

    private function count(string $key, int $by, int $initial, null|int|float|\DateInterval $ttl, bool $down): int
    {
        $whole = $this->whole($key);
        $ms = Ttl::parse($ttl);
        if ($down && $by === PHP_INT_MIN) {
            throw new OverflowException('a decrement by the smallest integer does not fit into 64 bits');
        }
        try {
            // A counter that can't count has no harmless answer.
            return $this->backend->increment($whole, $down ? -$by : $by, $initial, $ms);
        } catch (Failure $e) {
            throw Report::exception($e);
        }
    }

    /** Always false. */
    private function failed(Failure $failure, string $method): bool
    {
        Report::failure($failure, $this->throws, $method);
        return false;
    }

    /** The same for reads: while the owner reads its snapshot there is nothing to be had, which is no fault. */
    private function unread(Failure $failure, string $method): bool
    {
        return $failure->kind !== Failure::LOADING && $this->failed($failure, $method);
    }

    /** @throws InvalidKeyException */
    private function whole(string $key): string
    {
        $whole = $this->prefix . $key;
        if ($key === '' || isset($whole[self::LONGEST_KEY])) {
            throw $this->badKey($key);
        }
        return $whole;
    }

    /** The same for a prefix or a place in the order, which may be empty. */
    private function bound(string $key): string
    {
        return $key === '' ? $this->prefix : $this->whole($key);
    }

    private function badKey(string $key): InvalidKeyException
    {
        if ($key === '') {
            return new InvalidKeyException('the key is empty');
        }
        $with = $this->prefix === '' ? '' : ' with its prefix';
        return new InvalidKeyException('the key has ' . strlen($this->prefix . $key) . " bytes$with; 4096 are the limit");
    }

    /** A key of a list, without the prefix. */
    private function name(mixed $key): string
    {
        if (is_int($key)) {
            $key = (string) $key;
        } elseif (!is_string($key)) {
            throw new InvalidKeyException('a key must be a string, ' . Options::typeName($key) . ' given');
        }
        if ($key === '' || strlen($this->prefix) + strlen($key) > self::LONGEST_KEY) {
            throw $this->badKey($key);
        }
        return $key;
    }

    /**
     * @param iterable<mixed> $keys
     * @return list<string>
     */
    private function names(iterable $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            $names[] = $this->name($key);
        }
        return $names;
    }

    /** @return array{string, ?string} */
    private function range(string $prefix, ?string $after, int $limit): array
    {
        if ($limit < 0) {
            throw new InvalidArgumentException('the limit is negative; 0 means all');
        }
        return [$this->bound($prefix), $after === null ? null : $this->bound($after)];
    }
}
