<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

use Coppice\Polyfill\Clock;

/**
 * The locks of one local store. All that ask for them are this one process: whoever would wait for a lock without an end waits for
 * itself, and is refused at once.
 *
 * @internal
 */
final class Locks
{
    /** @var array<array{string, ?int, int}> name => owner, deadline, fence */
    private array $held = [];

    /** @param \Closure(): int $fence */
    public function __construct(private readonly \Closure $fence)
    {
    }

    public function acquire(string $name, string $owner, ?int $lease): ?int
    {
        $held = $this->find($name);
        if ($held !== null && $held[0] !== $owner) {
            return null;
        }
        $fence = $held[2] ?? ($this->fence)();
        $this->held[$name] = [$owner, self::deadline($lease), $fence];
        return $fence;
    }

    public function release(string $name, ?string $owner): bool
    {
        $held = $this->find($name);
        if ($held === null || ($owner !== null && $held[0] !== $owner)) {
            return false;
        }
        unset($this->held[$name]);
        return true;
    }

    public function refresh(string $name, string $owner, ?int $lease): bool
    {
        $held = $this->find($name);
        if ($held === null || $held[0] !== $owner) {
            return false;
        }
        $this->held[$name][1] = self::deadline($lease);
        return true;
    }

    /**
     * Owner, deadline (ms of Clock::now(); null: none) and fence.
     *
     * @return ?array{string, ?int, int}
     */
    public function find(string $name): ?array
    {
        $held = $this->held[$name] ?? null;
        if ($held !== null && $held[1] !== null && $held[1] <= Clock::now()) {
            unset($this->held[$name]);
            return null;
        }
        return $held;
    }

    public function flush(string $prefix): void
    {
        $this->held = array_filter(
            $this->held,
            static fn (int|string $name): bool => !str_starts_with((string) $name, $prefix),
            ARRAY_FILTER_USE_KEY
        );
    }

    private static function deadline(?int $lease): ?int
    {
        $now = Clock::now();
        return $lease === null || $lease >= PHP_INT_MAX - $now ? null : $now + $lease;
    }
}
