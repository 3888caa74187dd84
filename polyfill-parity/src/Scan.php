<?php

declare(strict_types=1);

namespace Coppice;

/**
 * What scan() answers. Each iteration starts anew.
 *
 * @implements \IteratorAggregate<string, mixed>
 */
final class Scan implements \IteratorAggregate
{
    use Polyfill\Sealed;
    use Polyfill\Uncloneable;

    /** @param \Closure(): \Iterator<?string, mixed> $begin */
    private function __construct(private readonly \Closure $begin)
    {
    }

    public function getIterator(): \Iterator
    {
        return ($this->begin)();
    }
}
