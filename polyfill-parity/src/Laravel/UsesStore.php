<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;

/**
 * The store that a command works on.
 *
 * @internal
 */
trait UsesStore
{
    private function coppice(CacheManager $manager): ?CoppiceStore
    {
        $name = $this->option('store');
        $repository = $manager->store(is_string($name) ? $name : 'coppice');
        $store = $repository instanceof Repository ? $repository->getStore() : null;
        if (!$store instanceof CoppiceStore) {
            $this->error('The cache store "' . (is_string($name) ? $name : 'coppice') . '" has another driver than coppice.');
            return null;
        }
        return $store;
    }
}
