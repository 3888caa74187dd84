<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\TaggedCache;

/** What Cache::store('coppice')->tags(…) is. As everywhere in Laravel, what was stored under tags is read under the same tags. */
class CoppiceTaggedCache extends TaggedCache
{
    use ComputesUnderLeases;
}
