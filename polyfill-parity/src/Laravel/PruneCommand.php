<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Console\Command;

/** Remove what has expired from a Coppice cache. */
class PruneCommand extends Command
{
    use UsesStore;

    protected $signature = 'coppice:prune {--store=coppice : a store of config/cache.php}';

    protected $description = 'Remove what has expired from a Coppice cache';

    public function handle(CacheManager $manager): int
    {
        $store = $this->coppice($manager);
        if ($store === null) {
            return self::FAILURE;
        }
        $removed = $store->cache()->prune();
        $this->info("Removed $removed expired entries.");
        return self::SUCCESS;
    }
}
