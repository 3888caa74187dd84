<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

use Coppice\Polyfill\Lease;

/**
 * Leases on the keys that this process is computing. There is nobody to wait for: whoever asks while one is out is called by its
 * holder. Whatever changes or invalidates a key meanwhile revokes its lease.
 *
 * Costs a look at each lease that is out, for each write: as many as remember() calls lie inside each other.
 *
 * @internal
 */
final class Leases implements Listener
{
    /** @var array<int, string> token => key */
    private array $out = [];
    /** @var array<int> invalidated tag => version */
    private array $invalidated = [];

    public function __construct(private readonly Store $store)
    {
    }

    public function request(string $key, int $seen): Lease
    {
        if (in_array($key, $this->out, true)) {
            return new Lease(Lease::SELF);
        }
        $record = $this->store->peek($key);
        if ($record !== null && $record->version !== $seen) {
            return new Lease(Lease::STORED);
        }
        $token = $this->store->takeVersion();
        $this->out[$token] = $key;
        $this->store->listener = $this;
        return new Lease(Lease::GRANTED, $token);
    }

    /**
     * Ends a lease; whether a value with these tags may be stored.
     *
     * @param list<string> $tags
     */
    public function end(int $token, array $tags): bool
    {
        $good = isset($this->out[$token]);
        foreach ($tags as $tag) {
            $good = $good && ($this->invalidated[$tag] ?? 0) < $token;
        }
        unset($this->out[$token]);
        if ($this->out === []) {
            $this->store->listener = null;
            $this->invalidated = [];
        }
        return $good;
    }

    public function changed(string $key): void
    {
        $this->out = array_filter($this->out, static fn (string $leased): bool => $leased !== $key);
    }

    public function erasedPrefix(string $prefix): void
    {
        $this->out = array_filter($this->out, static fn (string $leased): bool => !str_starts_with($leased, $prefix));
    }

    public function invalidatedTags(array $tags, int $version): void
    {
        foreach ($tags as $tag) {
            $this->invalidated[$tag] = $version;
        }
    }

    public function flushed(): void
    {
        $this->out = [];
    }
}
