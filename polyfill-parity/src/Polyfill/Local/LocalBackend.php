<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

use Coppice\InvalidArgumentException;
use Coppice\Polyfill\Backend;
use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Lease;
use Coppice\Polyfill\Options;
use Coppice\Polyfill\Record;
use Coppice\Polyfill\Ttl;

/**
 * A store of this process. Unlike the extension's it lives no longer than the request.
 *
 * @internal
 */
final class LocalBackend implements Backend
{
    private const MAX_VALUE = 64 << 20;
    private const PAGE_BYTES = 1 << 20;
    private const MOST_TAGS = 4096;

    /** @var array<self> by name */
    private static array $open = [];

    private readonly Leases $leases;
    private readonly Locks $locks;

    private function __construct(private readonly Store $store)
    {
        $this->leases = new Leases($store);
        $this->locks = new Locks($store->takeVersion(...));
    }

    /** @throws InvalidArgumentException a store of this name is open with other sizes */
    public static function open(Options $options): self
    {
        $found = self::$open[$options->name] ?? null;
        if ($found === null) {
            return self::$open[$options->name] = new self(new Store(
                $options->maxMemory ?? $options->defaultMaxMemory,
                $options->maxValue ?? self::MAX_VALUE,
                $options->policy ?? 'allkeys-lru',
            ));
        }
        $asked = [
            'max_memory' => [$options->maxMemory, $found->store->maxMemory],
            'max_value' => [$options->maxValue, $found->store->maxValue],
            'policy' => [$options->policy, $found->store->policy],
        ];
        foreach ($asked as $option => [$want, $have]) {
            if ($want !== null && $want !== $have) {
                throw new InvalidArgumentException("the local store \"$options->name\" is open in this process with $option=$have, not $want; give another name: local:name?$option=$want");
            }
        }
        return $found;
    }

    public function isShared(): bool
    {
        return false;
    }

    public function read(string $key): ?Record
    {
        return $this->store->find($key);
    }

    public function readWhole(string $key): ?Record
    {
        return $this->store->find($key);
    }

    public function readRefreshable(string $key): ?Record
    {
        return $this->store->findStale($key);
    }

    public function readMany(array $keys): array
    {
        return array_map($this->store->find(...), $keys);
    }

    public function take(string $key): ?Record
    {
        $record = $this->store->find($key);
        $this->store->erase($key);
        return $record;
    }

    public function has(string $key): bool
    {
        return $this->store->find($key) !== null;
    }

    public function mayKeep(Record $record, int $cost): bool
    {
        return $this->store->mayKeep($record, $cost);
    }

    public function write(string $key, int $type, string $bytes, ?int $ttl, int $when, int $version, array $tags): bool
    {
        return $this->store->set($key, $type, $bytes, self::deadline($ttl), $when, $version, self::sorted($tags)) !== null;
    }

    public function writeMany(array $values, ?int $ttl, array $tags): void
    {
        $tags = self::sorted($tags);
        $failure = null;
        foreach ($values as [$key, $type, $bytes]) {
            try {
                $this->store->set($key, $type, $bytes, self::deadline($ttl), tags: $tags);
            } catch (Failure $e) {
                $failure = $e;
            }
        }
        if ($failure !== null) {
            throw $failure;
        }
    }

    public function eraseMany(array $keys): void
    {
        foreach ($keys as $key) {
            $this->store->erase($key);
        }
    }

    public function increment(string $key, int $by, int $initial, ?int $ttlIfNew): int
    {
        return $this->store->increment($key, $by, $initial, self::deadline($ttlIfNew));
    }

    public function touch(string $key, ?int $ttl): bool
    {
        return $this->store->touch($key, self::deadline($ttl));
    }

    public function clear(string $prefix): void
    {
        if ($prefix === '') {
            $this->store->flush();
        } else {
            $this->store->erasePrefix($prefix);
        }
    }

    public function erasePrefix(string $prefix): int
    {
        return $this->store->erasePrefix($prefix);
    }

    public function countPrefix(string $prefix): int
    {
        return $this->store->countPrefix($prefix);
    }

    public function prune(): int
    {
        return $this->store->prune();
    }

    public function stats(): array
    {
        return $this->store->stats();
    }

    public function keys(string $prefix, ?string $after, int $limit): array
    {
        $keys = $this->store->keys($prefix, $after, $limit);
        return [$keys, count($keys) < $limit];
    }

    public function scan(string $prefix, ?string $after, int $limit): array
    {
        $keys = $this->store->keys($prefix, $after, $limit);
        $page = [];
        $bytes = 0;
        foreach ($keys as $key) {
            if ($bytes >= self::PAGE_BYTES) {
                return [$page, false];
            }
            // A copy: what the script does meanwhile does not change what the page was.
            $record = $this->store->peek($key);
            if ($record !== null) {
                $page[] = [$key, $record];
                $bytes += strlen($key) + $record->size;
            }
        }
        return [$page, count($keys) < $limit];
    }

    public function invalidateTags(array $tags): int
    {
        return $this->store->invalidateTags(self::sorted($tags, PHP_INT_MAX));
    }

    public function lease(string $key, ?int $wait, int $seen): Lease
    {
        return $this->leases->request($key, $seen);
    }

    public function fill(int $token, string $key, int $type, string $bytes, ?int $ttl, ?int $stale, int $computeMicros, array $tags): bool
    {
        if (!$this->leases->end($token, $tags)) {
            return false;
        }
        return $this->store->set(
            $key,
            $type,
            $bytes,
            self::deadline($ttl),
            tags: self::sorted($tags),
            staleMs: $stale ?? PHP_INT_MAX,
            computeMicros: $computeMicros
        ) !== null;
    }

    public function drop(int $token): void
    {
        $this->leases->end($token, []);
    }

    public function lock(string $name, string $owner, ?int $lease, ?int $wait, bool $bound): ?int
    {
        // Only the end of its lease can free a lock while this process waits.
        return $this->locks->acquire($name, $owner, $lease);
    }

    public function unlock(string $name, ?string $owner): bool
    {
        return $this->locks->release($name, $owner);
    }

    public function letGo(string $name, string $owner): void
    {
        $this->locks->release($name, $owner);
    }

    public function relock(string $name, string $owner, ?int $lease): bool
    {
        return $this->locks->refresh($name, $owner, $lease);
    }

    public function lockState(string $name): ?array
    {
        $held = $this->locks->find($name);
        return $held === null ? null : [$held[0], $held[2]];
    }

    public function flushLocks(string $prefix): void
    {
        $this->locks->flush($prefix);
    }

    public function throttle(string $key, int $limit, int $period, int $cost): array
    {
        return Throttling::take($this->store, $key, $limit, $period, $cost);
    }

    private static function deadline(?int $ttl): ?int
    {
        return Ttl::deadline($ttl, Clock::now());
    }

    /**
     * Each tag once, in bytewise order.
     *
     * @param list<string> $tags
     * @return list<string>
     * @throws Failure
     */
    private static function sorted(array $tags, int $most = self::MOST_TAGS): array
    {
        if ($tags === []) {
            return [];
        }
        $tags = array_map(strval(...), array_keys(array_flip($tags)));
        sort($tags, SORT_STRING);
        if (count($tags) > $most) {
            throw new Failure(Failure::BAD_ARGUMENT, 'there are more than 4096 tags for one key');
        }
        return $tags;
    }
}
