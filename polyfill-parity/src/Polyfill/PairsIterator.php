<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * Pairs in their order, where a key may come twice.
 *
 * @internal
 * @implements \Iterator<?string, mixed>
 */
final class PairsIterator implements \Iterator
{
    private int $place = 0;

    /** @param list<array{string, mixed}> $pairs */
    public function __construct(private readonly array $pairs)
    {
    }

    public function rewind(): void
    {
        $this->place = 0;
    }

    public function valid(): bool
    {
        return isset($this->pairs[$this->place]);
    }

    public function current(): mixed
    {
        return $this->pairs[$this->place][1] ?? null;
    }

    public function key(): ?string
    {
        return $this->pairs[$this->place][0] ?? null;
    }

    public function next(): void
    {
        if ($this->valid()) {
            ++$this->place;
        }
    }
}
