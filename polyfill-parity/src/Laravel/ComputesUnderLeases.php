<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Coppice\ConnectionException;
use Coppice\Pending;
use Coppice\RefusedException;
use Illuminate\Cache\Events\CacheHit;
use Illuminate\Cache\Events\CacheMissed;
use Illuminate\Cache\Events\KeyWritten;

/**
 * remember() and flexible() of a repository, under leases of the owner's: what is missing is computed once in the whole host, and
 * what is invalidated meanwhile is not stored.
 *
 * @internal
 */
trait ComputesUnderLeases
{
    /**
     * @param \UnitEnum|string $key
     * @param \Closure|\DateTimeInterface|\DateInterval|int|null $ttl
     */
    public function remember($key, $ttl, \Closure $callback): mixed
    {
        $key = self::keyText($key);
        $secondsOf = function (mixed $value) use ($ttl): ?int {
            /** @var \DateTimeInterface|\DateInterval|int|null $given */
            $given = value($ttl, $value);
            return $given === null ? null : (int) $this->getSeconds($given);
        };
        [$isDone, $value] = $this->computed($key, $callback, $secondsOf, 0);
        return $isDone ? $value : parent::remember($key, $ttl, $callback);
    }

    /**
     * @param \UnitEnum|string $key
     */
    public function rememberForever($key, \Closure $callback): mixed
    {
        $key = self::keyText($key);
        [$isDone, $value] = $this->computed($key, $callback, static fn (): ?int => null, 0);
        return $isDone ? $value : parent::rememberForever($key, $callback);
    }

    /**
     * Fresh for the first of the two times; until the second one caller computes it anew, in its own time, and the others have the old
     * value meanwhile.
     *
     * @param \UnitEnum|string $key
     * @param array{\DateTimeInterface|\DateInterval|int, \DateTimeInterface|\DateInterval|int} $ttl
     * @param callable $callback
     * @param ?array<mixed> $lock
     * @param bool $alwaysDefer
     */
    public function flexible($key, $ttl, $callback, $lock = null, $alwaysDefer = false): mixed
    {
        $fresh = (int) $this->getSeconds($ttl[0]);
        $stale = max(0, (int) $this->getSeconds($ttl[1]) - $fresh);
        return $this->computed(self::keyText($key), $callback, static fn (): int => $fresh, $stale)[1];
    }

    /**
     * Whether there is a value; false: the key holds null, which is a miss to Laravel, but none to the cache.
     *
     * @param callable(): mixed $callback
     * @param callable(mixed): ?int $secondsOf
     * @return array{bool, mixed}
     */
    private function computed(string $key, callable $callback, callable $secondsOf, int $stale): array
    {
        /** @var CoppiceStore $store */
        $store = $this->store;
        $isCalled = $isComputed = false;
        $seconds = $result = null;
        $compute = function (Pending $pending) use ($key, $callback, $secondsOf, &$isCalled, &$isComputed, &$seconds, &$result): mixed {
            $this->event(new CacheMissed($this->getName(), $key));
            $isCalled = true;
            $result = $callback();
            $isComputed = true;
            $seconds = $secondsOf($result);
            if ($result === null || ($seconds !== null && $seconds <= 0)) {
                $pending->skip();
            } else {
                $pending->ttl($seconds);
            }
            return $result;
        };
        try {
            $value = $store->remember($this->itemKey($key), $compute, null, $stale);
        } catch (ConnectionException|RefusedException $e) {
            if ($isCalled && !$isComputed) {
                throw $e;  // the callback's own
            }
            $store->failed($e);
            return [true, $isComputed ? $result : $callback()];
        }
        if ($isComputed) {
            $this->event(new KeyWritten($this->getName(), $key, $value, $seconds));
            return [true, $value];
        }
        if ($value !== null) {
            $this->event(new CacheHit($this->getName(), $key, $value));
        }
        return [$value !== null, $value];
    }

    private static function keyText(mixed $key): string
    {
        return match (true) {
            $key instanceof \BackedEnum => (string) $key->value,
            $key instanceof \UnitEnum => $key->name,
            is_scalar($key) || $key instanceof \Stringable => (string) $key,
            default => throw new \InvalidArgumentException('a cache key must be a string, ' . get_debug_type($key) . ' given'),
        };
    }
}
