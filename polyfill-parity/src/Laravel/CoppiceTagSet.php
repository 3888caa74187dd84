<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\TagSet;

/**
 * Tags that the cache keeps itself: nothing is stored for one, and flushing it removes its members.
 */
class CoppiceTagSet extends TagSet
{
    /** @param list<string> $all */
    public function __construct(private readonly CoppiceStore $coppice, private readonly array $all)
    {
        parent::__construct($coppice, $all);
    }

    public function reset(): void
    {
        $this->coppice->invalidateTags($this->all);
    }

    public function flush(): void
    {
        $this->reset();
    }

    /** @param string $name */
    public function resetTag($name): string
    {
        $this->coppice->invalidateTags([$name]);
        return $this->tagId($name);
    }

    /** @param string $name */
    public function flushTag($name): void
    {
        $this->coppice->invalidateTags([$name]);
    }

    /** @param string $name */
    public function tagId($name): string
    {
        return "tag:$name";
    }
}
