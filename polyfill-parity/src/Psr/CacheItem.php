<?php

declare(strict_types=1);

namespace Coppice\Psr;

use Psr\Cache\CacheItemInterface;

/** An item of a CacheItemPool, which makes it. */
final class CacheItem implements CacheItemInterface
{
    /** Seconds of the wall clock; null: none. */
    private ?float $expiry = null;

    /** @internal items come from a pool */
    public function __construct(private readonly string $key, private mixed $value, private bool $isHit)
    {
    }

    public function getKey(): string
    {
        return $this->key;
    }

    public function get(): mixed
    {
        return $this->value;
    }

    public function isHit(): bool
    {
        return $this->isHit;
    }

    /** @param mixed $value */
    public function set($value): static
    {
        $this->value = $value;
        return $this;
    }

    /** @param ?\DateTimeInterface $expiration */
    public function expiresAt($expiration): static
    {
        if ($expiration !== null && !$expiration instanceof \DateTimeInterface) {
            throw new CachePoolInvalidArgumentException('the expiry must be a DateTimeInterface or null, ' . get_debug_type($expiration) . ' given');
        }
        $this->expiry = $expiration === null ? null : (float) $expiration->format('U.u');
        return $this;
    }

    /** @param null|int|\DateInterval $time */
    public function expiresAfter($time): static
    {
        if ($time === null) {
            $this->expiry = null;
        } elseif ($time instanceof \DateInterval) {
            $this->expiry = (float) (new \DateTimeImmutable())->add($time)->format('U.u');
        } elseif (is_int($time)) {
            $this->expiry = microtime(true) + $time;
        } else {
            throw new CachePoolInvalidArgumentException('the time must be an int, a DateInterval or null, ' . get_debug_type($time) . ' given');
        }
        return $this;
    }

    /**
     * Seconds from now; null: for ever.
     *
     * @internal
     */
    public function ttl(): ?float
    {
        return $this->expiry === null ? null : $this->expiry - microtime(true);
    }

    /**
     * Seconds of the wall clock; null: none.
     *
     * @internal
     */
    public function expiry(): ?float
    {
        return $this->expiry;
    }

    /**
     * As the pool would give it, were it saved.
     *
     * @internal
     */
    public function saved(): self
    {
        $copy = clone $this;
        $copy->isHit = true;
        return $copy;
    }
}
