<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Resp;

use Coppice\Polyfill\Backend;
use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Lease;
use Coppice\Polyfill\Options;
use Coppice\Polyfill\Party;
use Coppice\Polyfill\Record;
use Coppice\Polyfill\ValueType;

/**
 * The store of an owner daemon, by its typed commands (docs/typed-commands.md): one round trip an operation, one for each MiB of many.
 *
 * @internal
 */
final class RespBackend implements Backend
{
    /** Bytes of a request before it is sent. */
    private const CHUNK = 1 << 20;
    private const MOST_KEYS = 1000;
    /** A lease ends by itself after this time; see the extension's kLeaseCeiling. */
    private const LEASE_CEILING_MS = 600_000;
    private const LONGEST_WAIT_MS = 10 * 365 * 86_400_000;
    private const TAGS_AT_ONCE = 4096;

    /** @var array<string, self> */
    private static array $open = [];

    private readonly Connection $connection;

    private function __construct(Options $options)
    {
        $this->connection = new Connection($options);
    }

    public static function open(Options $options): self
    {
        $identity = implode("\0", [
            $options->scheme, $options->address, $options->user, $options->password, $options->database, $options->timeoutMs,
            (string) $options->ownerUid,
        ]);
        return self::$open[$identity] ??= new self($options);
    }

    public function isShared(): bool
    {
        return true;
    }

    public function read(string $key): ?Record
    {
        $reply = $this->readable(['TGET', $key])[0];
        return $this->entry(is_array($reply) ? array_slice($reply, 0, 4) : $reply);
    }

    public function readWhole(string $key): ?Record
    {
        [$entry, $tags] = $this->readable(['TGET', $key], ['TAGS', $key]);
        $record = $this->entry(is_array($entry) ? array_slice($entry, 0, 4) : $entry);
        if ($record !== null && is_array($tags)) {
            $record->tags = array_values(array_filter($tags, is_string(...)));
        }
        return $record;
    }

    public function readRefreshable(string $key): ?Record
    {
        $reply = $this->readable(['TGET', $key, 'STALE'])[0];
        if (!is_array($reply)) {
            return $this->entry($reply);
        }
        $record = $this->entry(array_slice($reply, 0, 4));
        $ttl = $reply[3] ?? null;
        $computed = $reply[5] ?? null;
        if (!is_int($ttl) || !is_int($computed) || $record === null) {
            throw self::oddAnswer();
        }
        if ($ttl < -1) {
            // In its stale window: how long its deadline is past.
            $record->deadline = Clock::now() + $ttl;
        }
        $record->computeMicros = $computed;
        return $record;
    }

    public function readMany(array $keys): array
    {
        $records = [];
        foreach ($this->chunks($keys) as $chunk) {
            $reply = $this->connection->call(['TMGET', ...$chunk]);
            if (!is_array($reply) || count($reply) !== count($chunk)) {
                throw self::oddAnswer();
            }
            foreach ($reply as $entry) {
                $records[] = $this->entry($entry);
            }
        }
        return $records;
    }

    public function take(string $key): ?Record
    {
        return $this->entry($this->connection->call(['TPULL', $key]));
    }

    public function has(string $key): bool
    {
        return $this->integer(['EXISTS', $key]) === 1;
    }

    public function mayKeep(Record $record, int $cost): bool
    {
        return false;
    }

    public function write(string $key, int $type, string $bytes, ?int $ttl, int $when, int $version, array $tags): bool
    {
        $arguments = ['TSET', $key, $type, $bytes];
        if ($ttl !== null) {
            array_push($arguments, 'PX', $ttl);
        }
        match ($when) {
            self::IF_ABSENT => $arguments[] = 'NX',
            self::IF_PRESENT => $arguments[] = 'XX',
            self::IF_VERSION => array_push($arguments, 'IFVER', $version),
            default => null,
        };
        $reply = $this->connection->call(self::withTags($arguments, $tags));
        if ($reply !== null && !is_int($reply)) {
            throw self::oddAnswer();
        }
        return $reply !== null;
    }

    public function writeMany(array $values, ?int $ttl, array $tags): void
    {
        $all = true;
        $count = count($values);
        for ($i = 0; $i < $count;) {
            $arguments = [];
            $bytes = 0;
            for ($n = 0; $i < $count && ($n === 0 || $bytes + strlen($values[$i][2]) < self::CHUNK); ++$i, ++$n) {
                [$key, $type, $value] = $values[$i];
                array_push($arguments, $key, $type, $value);
                $bytes += strlen($key) + strlen($value) + 24;
            }
            array_unshift($arguments, 'TMSET', $ttl ?? -1, $n);
            $reply = $this->connection->call(self::withTags($arguments, $tags));
            if (!is_array($reply) || count($reply) !== $n) {
                throw self::oddAnswer();
            }
            // 0 is a refusal, unless the TTL asked for removal.
            $all = $all && ($ttl === 0 || !in_array(0, $reply, true));
        }
        if (!$all) {
            throw new Failure(Failure::REFUSED, 'the owner refused a value: it is too large, or there is no room');
        }
    }

    public function eraseMany(array $keys): void
    {
        foreach ($this->chunks($keys) as $chunk) {
            $this->integer(['DEL', ...$chunk]);
        }
    }

    public function increment(string $key, int $by, int $initial, ?int $ttlIfNew): int
    {
        return $this->integer(['TINCR', $key, $by, $initial, $ttlIfNew ?? -1]);
    }

    public function touch(string $key, ?int $ttl): bool
    {
        return $this->integer(['TTOUCH', $key, $ttl ?? -1]) !== 0;
    }

    public function clear(string $prefix): void
    {
        if ($prefix === '') {
            $this->connection->call(['FLUSHDB']);
        } else {
            $this->erasePrefix($prefix);
        }
    }

    public function erasePrefix(string $prefix): int
    {
        return $this->integer(['DELPREFIX', $prefix]);
    }

    public function countPrefix(string $prefix): int
    {
        return $this->integer(['COUNTPREFIX', $prefix]);
    }

    public function prune(): int
    {
        return $this->integer(['TPRUNE']);
    }

    public function stats(): array
    {
        $reply = $this->connection->call(['TSTATS']);
        if (!is_array($reply) || count($reply) % 2 !== 0) {
            throw self::oddAnswer();
        }
        $told = [];
        for ($i = 0, $n = count($reply); $i < $n; $i += 2) {
            if (is_string($reply[$i]) && is_int($reply[$i + 1])) {
                $told[$reply[$i]] = $reply[$i + 1];
            }
        }
        return [
            'entries' => $told['entries'] ?? 0,
            'used_memory' => $told['used_memory'] ?? 0,
            'max_memory' => $told['max_memory'] ?? 0,
            'hits' => $told['hits'] ?? 0,
            'misses' => $told['misses'] ?? 0,
            'evicted' => $told['evicted'] ?? 0,
            'expired' => $told['expired'] ?? 0,
            'tags' => $told['tags'] ?? 0,
            'tag_memberships' => $told['tag_memberships'] ?? 0,
        ];
    }

    public function keys(string $prefix, ?string $after, int $limit): array
    {
        $reply = $this->connection->call(self::range('SCANPREFIX', $prefix, $after, $limit));
        if (!is_array($reply)) {
            throw self::oddAnswer();
        }
        $keys = [];
        foreach ($reply as $key) {
            $keys[] = is_string($key) ? $key : throw self::oddAnswer();
        }
        return [$keys, $keys === []];
    }

    public function scan(string $prefix, ?string $after, int $limit): array
    {
        $reply = $this->connection->call(self::range('TSCAN', $prefix, $after, $limit));
        if (!is_array($reply) || count($reply) % 5 !== 0) {
            throw self::oddAnswer();
        }
        $page = [];
        foreach (array_chunk($reply, 5) as $item) {
            $record = $this->entry(array_slice($item, 1));
            if (!is_string($item[0]) || $record === null) {
                throw self::oddAnswer();
            }
            $page[] = [$item[0], $record];
        }
        return [$page, $page === []];
    }

    public function invalidateTags(array $tags): int
    {
        $removed = 0;
        foreach (array_chunk($tags, self::TAGS_AT_ONCE) as $chunk) {
            $removed += $this->integer(['DELTAG', ...$chunk]);
        }
        return $removed;
    }

    public function lease(string $key, ?int $wait, int $seen): Lease
    {
        $wait = min($wait ?? self::LONGEST_WAIT_MS, self::LONGEST_WAIT_MS);
        $arguments = ['LEASE', $key, Party::id(), $wait, self::LEASE_CEILING_MS];
        if ($seen !== 0) {
            array_push($arguments, 'REFRESH', $seen);
        }
        $reply = $this->connection->call($arguments, $wait);
        $outcome = is_array($reply) ? $reply[0] ?? null : null;
        $token = is_array($reply) ? $reply[1] ?? 0 : 0;
        if (!is_int($outcome) || $outcome < Lease::GRANTED || $outcome > Lease::SELF || !is_int($token)) {
            throw self::oddAnswer();
        }
        return new Lease($outcome, $token);
    }

    public function fill(int $token, string $key, int $type, string $bytes, ?int $ttl, ?int $stale, int $computeMicros, array $tags): bool
    {
        $reply = $this->connection->call(
            ['LEASESET', $token, $key, $type, $bytes, $ttl ?? -1, $stale ?? PHP_INT_MAX, $computeMicros, ...$tags]
        );
        if ($reply !== null && !is_int($reply)) {
            throw self::oddAnswer();
        }
        return $reply !== null;
    }

    public function drop(int $token): void
    {
        $this->quietly(['LEASEDROP', $token]);
    }

    public function lock(string $name, string $owner, ?int $lease, ?int $wait, bool $bound): ?int
    {
        $wait = min($wait ?? self::LONGEST_WAIT_MS, self::LONGEST_WAIT_MS);
        $arguments = ['LOCK', $name, $owner, $lease ?? 'INF'];
        if ($wait > 0) {
            array_push($arguments, 'WAIT', $wait);
        }
        if ($bound) {
            $arguments[] = 'BOUND';
        }
        array_push($arguments, 'PARTY', Party::id());
        $reply = $this->connection->call($arguments, $wait);
        if ($reply !== null && !is_int($reply)) {
            throw self::oddAnswer();
        }
        return $reply;
    }

    public function unlock(string $name, ?string $owner): bool
    {
        return $this->integer(['UNLOCK', $name, $owner ?? 'FORCE']) !== 0;
    }

    public function letGo(string $name, string $owner): void
    {
        $this->quietly(['UNLOCK', $name, $owner]);
    }

    public function relock(string $name, string $owner, ?int $lease): bool
    {
        return $this->integer(['RELOCK', $name, $owner, $lease ?? 'INF']) !== 0;
    }

    public function lockState(string $name): ?array
    {
        $reply = $this->connection->call(['LOCKINFO', $name]);
        if ($reply === null) {
            return null;
        }
        if (!is_array($reply) || !is_string($reply[0] ?? null) || !is_int($reply[2] ?? null)) {
            throw self::oddAnswer();
        }
        return [$reply[0], $reply[2]];
    }

    public function flushLocks(string $prefix): void
    {
        $this->integer(['FLUSHLOCKS', $prefix]);
    }

    public function throttle(string $key, int $limit, int $period, int $cost): array
    {
        $reply = $this->connection->call(['THROTTLE', $key, $limit, $period, $cost]);
        if (!is_array($reply) || count($reply) !== 5) {
            throw self::oddAnswer();
        }
        [$allowed, , $remaining, $after] = $reply;
        if (!is_int($allowed) || !is_int($remaining) || !is_int($after)) {
            throw self::oddAnswer();
        }
        return [$allowed !== 0, $remaining, $allowed !== 0 ? 0 : ($after < 0 ? null : $after)];
    }

    // ---- arguments and answers

    private static function oddAnswer(): Failure
    {
        return new Failure(Failure::UNREACHABLE, 'the owner gave an answer that the command does not have');
    }

    /**
     * What reads answer. The owner refuses to show the state of a rate limit, which is no value of a script: that is told as the extension
     * tells it, who reads it from the owner's memory.
     *
     * @param list<string> $command
     * @param list<string> ...$more
     * @return non-empty-list<mixed>
     * @throws Failure
     */
    private function readable(array $command, array ...$more): array
    {
        try {
            return $this->connection->calls([$command, ...array_values($more)]);
        } catch (Failure $e) {
            if ($e->kind !== Failure::WRONG_TYPE) {
                throw $e;
            }
            return [[ValueType::THROTTLE, '', 0, -1, 0, 0], []];
        }
    }

    /** `type, value, version, ttl` of an answer; null for nil. @throws Failure */
    private function entry(mixed $reply): ?Record
    {
        if ($reply === null) {
            return null;
        }
        if (!is_array($reply) || count($reply) !== 4) {
            throw self::oddAnswer();
        }
        [$type, $bytes, $version, $ttl] = array_values($reply);
        if (!is_int($type) || !is_string($bytes) || !is_int($version) || !is_int($ttl) || $type < ValueType::STRING || $type > 255) {
            throw self::oddAnswer();
        }
        $now = Clock::now();
        return new Record($type, $bytes, $version, $ttl < 0 || $ttl >= PHP_INT_MAX - $now ? null : $now + $ttl);
    }

    /**
     * @param list<string|int> $arguments
     * @throws Failure
     */
    private function integer(array $arguments): int
    {
        $reply = $this->connection->call($arguments);
        return is_int($reply) ? $reply : throw self::oddAnswer();
    }

    /**
     * What ends with the connection anyway is not worth a new one, or a word.
     *
     * @param list<string|int> $arguments
     */
    private function quietly(array $arguments): void
    {
        if (!$this->connection->isConnected()) {
            return;
        }
        try {
            $this->connection->call($arguments);
        } catch (Failure) {
            // The connection has ended, and with it what was to be ended.
        }
    }

    /**
     * @param list<string|int> $arguments
     * @param list<string> $tags
     * @return list<string|int>
     */
    private static function withTags(array $arguments, array $tags): array
    {
        return $tags === [] ? $arguments : [...$arguments, 'TAGS', count($tags), ...$tags];
    }

    /** @return list<string|int> */
    private static function range(string $command, string $prefix, ?string $after, int $limit): array
    {
        $arguments = [$command, $prefix];
        if ($after !== null) {
            array_push($arguments, 'AFTER', $after);
        }
        array_push($arguments, 'LIMIT', $limit);
        return $arguments;
    }

    /**
     * @param list<string> $keys
     * @return \Generator<int, non-empty-list<string>>
     */
    private function chunks(array $keys): \Generator
    {
        $chunk = [];
        $bytes = 0;
        foreach ($keys as $key) {
            $chunk[] = $key;
            $bytes += strlen($key) + 16;
            if ($bytes >= self::CHUNK || count($chunk) >= self::MOST_KEYS) {
                yield $chunk;
                $chunk = [];
                $bytes = 0;
            }
        }
        if ($chunk !== []) {
            yield $chunk;
        }
    }
}
