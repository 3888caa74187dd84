<?php

declare(strict_types=1);

namespace Coppice;

/**
 * What getMultiple() answers where an array would turn keys into integers.
 *
 * @implements \IteratorAggregate<string, mixed>
 */
final class Pairs implements \IteratorAggregate, \Countable
{
    use Polyfill\Sealed;
    use Polyfill\Uncloneable;

    /** @param list<array{string, mixed}> $pairs */
    private function __construct(private readonly array $pairs)
    {
    }

    public function getIterator(): \Iterator
    {
        return new Polyfill\PairsIterator($this->pairs);
    }

    public function count(): int
    {
        return count($this->pairs);
    }
}
