<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Record;
use Coppice\Polyfill\ValueType;

/**
 * The entries of one local store, with deadlines, tags, a limit of memory and an order of keys.
 *
 * Costs, with n entries: one key O(1), and O(log n) more with a TTL; ranges see SortedKeys; invalidating a tag O(its
 * members); counting O(log n + n / 512 + entries that are over and not pruned).
 *
 * Memory is what PHP takes for an entry, about: OVERHEAD and the bytes of key, value and tags, more with a TTL.
 *
 * @internal
 */
final class Store
{
    public const ALWAYS = 0;
    public const IF_ABSENT = 1;
    public const IF_PRESENT = 2;
    public const IF_VERSION = 3;

    /** Bytes of an entry beyond its key and value: the record, and its places in the tables. */
    private const OVERHEAD = 512;
    private const DEADLINE = 256;
    private const MEMBERSHIP = 72;
    /** How many writes go by between two sweeps, and what one of them removes at most. */
    private const SWEEP_EVERY = 16;
    private const SWEEP_MOST = 64;

    /** @var array<Record> by key */
    private array $entries = [];
    /** @var array<array<true>> members by tag */
    private array $members = [];
    private int $memberships = 0;
    private readonly SortedKeys $order;
    private Deadlines $deadlines;
    private Deadlines $hardDeadlines;
    /** @var array<int> by key: versions that are over, but for refreshers */
    private array $stale = [];
    /** @var array<int> by key: versions that are over */
    private array $due = [];
    private readonly Ring $ring;
    private int $withDeadline = 0;
    private int $used = 0;
    private int $version;
    private int $writes = 0;
    private int $hits = 0;
    private int $misses = 0;
    private int $evicted = 0;
    private int $expired = 0;
    public ?Listener $listener = null;

    public function __construct(
        public readonly int $maxMemory,
        public readonly int $maxValue,
        public readonly string $policy,
    ) {
        $this->order = new SortedKeys();
        $this->deadlines = new Deadlines();
        $this->hardDeadlines = new Deadlines();
        $this->ring = new Ring();
        // Versions never come twice, whatever was before.
        $this->version = (int) (microtime(true) * 1e6) & ~1;
    }

    public function takeVersion(): int
    {
        return $this->version += 2;
    }

    // ---- reading

    /** A live entry; counts as a read. */
    public function find(string $key): ?Record
    {
        $record = $this->entries[$key] ?? null;
        if ($record === null || ($record->deadline !== null && $record->deadline <= Clock::now())) {
            ++$this->misses;
            return null;
        }
        ++$this->hits;
        $record->wasRead = true;
        return $record;
    }

    /** A live entry, uncounted. */
    public function peek(string $key): ?Record
    {
        $record = $this->entries[$key] ?? null;
        return $record === null || ($record->deadline !== null && $record->deadline <= Clock::now()) ? null : $record;
    }

    /** The same, or one in its stale window. Counts as a read. */
    public function findStale(string $key): ?Record
    {
        $record = $this->entries[$key] ?? null;
        $end = $record->hardDeadline ?? $record->deadline ?? null;
        if ($record === null || ($end !== null && $end <= Clock::now())) {
            ++$this->misses;
            return null;
        }
        ++$this->hits;
        $record->wasRead = true;
        return $record;
    }

    /**
     * Live keys of a range in bytewise order.
     *
     * @return list<string>
     */
    public function keys(string $prefix, ?string $after, int $limit): array
    {
        $now = Clock::now();
        $keys = [];
        foreach ($this->order->after($prefix, $after) as $key) {
            if (count($keys) === $limit) {
                break;
            }
            $deadline = $this->entries[$key]->deadline;
            if ($deadline === null || $deadline > $now) {
                $keys[] = $key;
            }
        }
        return $keys;
    }

    public function countPrefix(string $prefix): int
    {
        $this->collect();
        $count = $prefix === '' ? count($this->entries) : $this->order->countPrefix($prefix);
        foreach ([$this->stale, $this->due] as $over) {
            if ($prefix === '') {
                $count -= count($over);
                continue;
            }
            foreach ($over as $key => $_) {
                $count -= (int) str_starts_with((string) $key, $prefix);
            }
        }
        return $count;
    }

    // ---- writing

    /**
     * @param ?int $deadline in ms of Clock::now(); one that has passed removes the key; null: none
     * @param list<string> $tags each once, in bytewise order
     * @return ?int the new entry's version, 0 where the key was removed; null: the condition did not hold
     * @throws Failure too large, no room; the old entry stays
     */
    public function set(
        string $key,
        int $type,
        string $bytes,
        ?int $deadline,
        int $when = self::ALWAYS,
        int $version = 0,
        array $tags = [],
        int $staleMs = 0,
        int $computeMicros = 0,
    ): ?int {
        if (strlen($bytes) > $this->maxValue) {
            throw new Failure(Failure::REFUSED, 'the value is larger than the limit for values');
        }
        $old = $this->entries[$key] ?? null;
        $now = Clock::now();
        $live = $old !== null && ($old->deadline === null || $old->deadline > $now) ? $old : null;
        $holds = match ($when) {
            self::IF_ABSENT => $live === null,
            self::IF_PRESENT => $live !== null,
            self::IF_VERSION => $live !== null && $live->version === $version,
            default => true,
        };
        if (!$holds) {
            return null;
        }
        if ($deadline !== null && $deadline <= $now) {
            if ($old !== null) {
                $this->remove($key, $old);
            }
            $this->listener?->changed($key);
            $this->upkeep();
            return 0;
        }
        $record = new Record($type, $bytes, $this->takeVersion(), $deadline);
        $record->tags = $tags;
        $record->computeMicros = $computeMicros;
        if ($staleMs > 0 && $deadline !== null) {
            $record->hardDeadline = $staleMs < PHP_INT_MAX - $deadline ? $deadline + $staleMs : PHP_INT_MAX;
        }
        $record->cost = self::OVERHEAD + strlen($key) + $record->size + ($deadline === null ? 0 : self::DEADLINE);
        foreach ($tags as $tag) {
            $record->cost += self::MEMBERSHIP + strlen($tag);
        }
        $this->makeRoom($record->cost, $key);
        // Making room may have removed an old entry that was over.
        $old = $this->entries[$key] ?? null;
        if ($old !== null) {
            $this->unlink($key, $old);
        } else {
            $this->order->add($key);
        }
        $this->link($key, $record);
        $this->listener?->changed($key);
        $this->upkeep();
        return $record->version;
    }

    /** Whether there was a live entry. */
    public function erase(string $key): bool
    {
        $old = $this->entries[$key] ?? null;
        $live = false;
        if ($old !== null) {
            $live = $old->deadline === null || $old->deadline > Clock::now();
            $this->expired += (int) !$live;
            $this->remove($key, $old);
        }
        $this->listener?->changed($key);
        return $live;
    }

    /** @throws Failure not a counter, overflow, no room */
    public function increment(string $key, int $by, int $initial, ?int $deadlineIfNew): int
    {
        $old = $this->peek($key);
        $value = $initial;
        if ($old !== null) {
            if ($old->type !== ValueType::STRING && $old->type !== ValueType::INTEGER) {
                throw new Failure(Failure::WRONG_TYPE, 'the value has a type that the operation does not apply to');
            }
            $value = (int) $old->bytes;
            if ((string) $value !== $old->bytes) {
                throw new Failure(Failure::NOT_INTEGER, 'the value is not an integer');
            }
        }
        if ($by > 0 ? $value > PHP_INT_MAX - $by : $value < PHP_INT_MIN - $by) {
            throw new Failure(Failure::OVERFLOW, 'the result does not fit into 64 bits');
        }
        $sum = $value + $by;
        if ($old === null) {
            $this->set($key, ValueType::INTEGER, (string) $sum, $deadlineIfNew);
        } else {
            $stale = $old->hardDeadline === null ? 0 : $old->hardDeadline - (int) $old->deadline;
            $this->set($key, ValueType::INTEGER, (string) $sum, $old->deadline, tags: $old->tags, staleMs: $stale, computeMicros: $old->computeMicros);
        }
        return $sum;
    }

    /** Gives a live entry a new deadline and version; whether there was one. */
    public function touch(string $key, ?int $deadline): bool
    {
        $old = $this->peek($key);
        if ($deadline !== null && $deadline <= Clock::now()) {
            // A removal, told also where nothing was: somebody may be computing it.
            $this->listener?->changed($key);
            if ($old !== null) {
                $this->remove($key, $old);
            }
            return $old !== null;
        }
        if ($old === null) {
            return false;
        }
        $this->listener?->changed($key);
        $record = clone $old;
        $stale = $old->hardDeadline === null ? 0 : $old->hardDeadline - (int) $old->deadline;
        $record->version = $this->takeVersion();
        $record->deadline = $deadline;
        $record->hardDeadline = $stale === 0 || $deadline === null ? null : $deadline + $stale;
        $this->unlink($key, $old);
        $this->link($key, $record);
        return true;
    }

    /** How many live entries it removed. */
    public function erasePrefix(string $prefix): int
    {
        $this->listener?->erasedPrefix($prefix);
        $now = Clock::now();
        $removed = 0;
        foreach ($this->order->cut($prefix) as $key) {
            $record = $this->entries[$key];
            if ($record->deadline === null || $record->deadline > $now) {
                ++$removed;
            } else {
                ++$this->expired;
            }
            $this->unlink($key, $record);
            unset($this->entries[$key]);
        }
        return $removed;
    }

    /**
     * How many live entries it removed.
     *
     * @param list<string> $tags
     */
    public function invalidateTags(array $tags): int
    {
        $this->listener?->invalidatedTags($tags, $this->takeVersion());
        $now = Clock::now();
        $removed = 0;
        foreach ($tags as $tag) {
            foreach ($this->members[$tag] ?? [] as $key => $_) {
                $record = $this->entries[$key];
                // A key that goes with its tag is a key that is removed, whatever tags a value being computed will have.
                $this->listener?->changed((string) $key);
                if ($record->deadline === null || $record->deadline > $now) {
                    ++$removed;
                } else {
                    ++$this->expired;
                }
                $this->remove((string) $key, $record);
            }
        }
        return $removed;
    }

    public function flush(): void
    {
        $this->listener?->flushed();
        $this->entries = $this->members = $this->stale = $this->due = [];
        $this->memberships = $this->withDeadline = $this->used = 0;
        $this->order->clear();
        $this->ring->clear();
        $this->deadlines = new Deadlines();
        $this->hardDeadlines = new Deadlines();
    }

    /** Removes what is over, and answers how many that were. */
    public function prune(): int
    {
        return $this->expire(PHP_INT_MAX);
    }

    /** Whether the decoded form of a record, of about `$cost` bytes, may take the place of its bytes. */
    public function mayKeep(Record $record, int $cost): bool
    {
        $more = $cost - strlen($record->bytes);
        if ($this->used + $more > $this->maxMemory) {
            return false;
        }
        $this->used += $more;
        $record->cost += $more;
        return true;
    }

    /** @return array{entries: int, used_memory: int, max_memory: int, hits: int, misses: int, evicted: int, expired: int, tags: int, tag_memberships: int} */
    public function stats(): array
    {
        return [
            'entries' => count($this->entries),
            'used_memory' => $this->used,
            'max_memory' => $this->maxMemory,
            'hits' => $this->hits,
            'misses' => $this->misses,
            'evicted' => $this->evicted,
            'expired' => $this->expired,
            'tags' => count($this->members),
            'tag_memberships' => $this->memberships,
        ];
    }

    // ---- the tables

    private function link(string $key, Record $record): void
    {
        $this->entries[$key] = $record;
        $this->used += $record->cost;
        if ($record->deadline !== null) {
            ++$this->withDeadline;
            $this->deadlines->add($record->deadline, $record->version, $key);
            if ($this->deadlines->count() > 2 * $this->withDeadline + 64) {
                $this->rebuildDeadlines();
            }
        }
        if ($this->policy !== 'noeviction' && ($this->policy !== 'volatile-lru' || $record->deadline !== null)) {
            $record->slot = $this->ring->add($key);
        }
        foreach ($record->tags as $tag) {
            $this->members[$tag][$key] = true;
        }
        $this->memberships += count($record->tags);
    }

    /** Takes an entry out of all tables but `entries` and the order. */
    private function unlink(string $key, Record $record): void
    {
        $this->used -= $record->cost;
        if ($record->deadline !== null) {
            --$this->withDeadline;
            unset($this->stale[$key], $this->due[$key]);
        }
        if ($record->slot >= 0) {
            $this->ring->remove($record->slot);
        }
        foreach ($record->tags as $tag) {
            unset($this->members[$tag][$key]);
            if ($this->members[$tag] === []) {
                unset($this->members[$tag]);
            }
        }
        $this->memberships -= count($record->tags);
    }

    private function remove(string $key, Record $record): void
    {
        $this->unlink($key, $record);
        unset($this->entries[$key]);
        $this->order->remove($key);
    }

    private function rebuildDeadlines(): void
    {
        $this->deadlines = new Deadlines();
        foreach ($this->entries as $key => $record) {
            if ($record->deadline !== null && !isset($this->stale[$key]) && !isset($this->due[$key])) {
                $this->deadlines->add($record->deadline, $record->version, (string) $key);
            }
        }
    }

    /** Finds what is over by now. */
    private function collect(): void
    {
        $now = Clock::now();
        while (($first = $this->deadlines->first()) !== null && $first[0] <= $now) {
            $this->deadlines->drop();
            [, $version, $key] = $first;
            $record = $this->entries[$key] ?? null;
            if ($record === null || $record->version !== $version) {
                continue;
            }
            if ($record->hardDeadline !== null && $record->hardDeadline > $now) {
                $this->stale[$key] = $version;
                $this->hardDeadlines->add($record->hardDeadline, $version, $key);
            } else {
                $this->due[$key] = $version;
            }
        }
        while (($first = $this->hardDeadlines->first()) !== null && $first[0] <= $now) {
            $this->hardDeadlines->drop();
            [, $version, $key] = $first;
            if (($this->stale[$key] ?? 0) === $version) {
                unset($this->stale[$key]);
                $this->due[$key] = $version;
            }
        }
    }

    private function expire(int $most): int
    {
        $this->collect();
        $removed = 0;
        foreach ($this->due as $key => $_) {
            if ($removed === $most) {
                break;
            }
            $this->remove((string) $key, $this->entries[$key]);
            ++$removed;
        }
        $this->expired += $removed;
        return $removed;
    }

    private function upkeep(): void
    {
        if (++$this->writes % self::SWEEP_EVERY === 0) {
            $this->expire(self::SWEEP_MOST);
        }
    }

    /**
     * Room for an entry of $cost bytes in place of the key's old one, which is not touched unless it is over.
     *
     * @throws Failure
     */
    private function makeRoom(int $cost, string $for): void
    {
        for ($swept = false; $this->used + $cost - ($this->entries[$for]->cost ?? 0) > $this->maxMemory;) {
            if (!$swept) {
                $this->expire(PHP_INT_MAX);
                $swept = true;
            } elseif (!$this->evict($for)) {
                throw new Failure(Failure::REFUSED, 'there is no room within the memory limit');
            }
        }
    }

    /** Removes one entry other than $for; false: there is none that may go. */
    private function evict(string $for): bool
    {
        if ($this->policy === 'noeviction') {
            return false;
        }
        if ($this->policy === 'volatile-ttl') {
            return $this->evictNearest($for);
        }
        $passed = null;
        while (($next = $this->policy === 'allkeys-random' ? $this->ring->takeAny() : $this->ring->take()) !== null) {
            [, $key] = $next;
            $record = $this->entries[$key];
            if ($key === $for) {
                if ($passed !== null) {
                    break;
                }
                $passed = $record;
                continue;
            }
            if ($record->wasRead && $this->policy !== 'allkeys-random') {
                $record->wasRead = false;
                $record->slot = $this->ring->add($key);
                continue;
            }
            $record->slot = -1;
            $this->remove($key, $record);
            ++$this->evicted;
            if ($passed !== null) {
                $passed->slot = $this->ring->add($for);
            }
            return true;
        }
        if ($passed !== null) {
            $passed->slot = $this->ring->add($for);
        }
        return false;
    }

    private function evictNearest(string $for): bool
    {
        $passed = null;
        $done = false;
        while (!$done && ($first = $this->deadlines->first()) !== null) {
            $this->deadlines->drop();
            [, $version, $key] = $first;
            $record = $this->entries[$key] ?? null;
            if ($record === null || $record->version !== $version) {
                continue;
            }
            if ($key === $for) {
                $passed = $first;
                continue;
            }
            $this->remove($key, $record);
            ++$this->evicted;
            $done = true;
        }
        if ($passed !== null) {
            $this->deadlines->add(...$passed);
        }
        return $done;
    }
}
