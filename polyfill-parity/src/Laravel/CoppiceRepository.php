<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\Repository;

/** What Cache::store('coppice') is. */
class CoppiceRepository extends Repository
{
    use ComputesUnderLeases;

    /** @param array<string, mixed> $config */
    public function __construct(CoppiceStore $store, array $config = [])
    {
        parent::__construct($store, $config);
    }

    /** Removes every key that begins with $prefix, at the cost of what it holds; answers how many. */
    public function deletePrefix(string $prefix): int
    {
        /** @var CoppiceStore $store */
        $store = $this->store;
        return $store->deletePrefix($prefix);
    }
}
