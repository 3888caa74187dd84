<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Console\Command;

/** Show the figures of a Coppice cache. */
class StatsCommand extends Command
{
    use UsesStore;

    protected $signature = 'coppice:stats {--store=coppice : a store of config/cache.php}';

    protected $description = 'Show the figures of a Coppice cache';

    public function handle(CacheManager $manager): int
    {
        $store = $this->coppice($manager);
        if ($store === null) {
            return self::FAILURE;
        }
        $rows = [];
        foreach ($store->cache()->stats() as $name => $value) {
            $rows[] = [$name, is_int($value) ? number_format($value) : $value];
        }
        $this->table(['figure', 'value'], $rows);
        return self::SUCCESS;
    }
}
