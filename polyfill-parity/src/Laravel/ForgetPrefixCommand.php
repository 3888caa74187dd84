<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Console\Command;

/** Remove every key that begins with a prefix from a Coppice cache. */
class ForgetPrefixCommand extends Command
{
    use UsesStore;

    protected $signature = 'coppice:forget-prefix {prefix : what the keys begin with} {--store=coppice : a store of config/cache.php}';

    protected $description = 'Remove every key that begins with a prefix from a Coppice cache';

    public function handle(CacheManager $manager): int
    {
        $store = $this->coppice($manager);
        if ($store === null) {
            return self::FAILURE;
        }
        $prefix = $this->argument('prefix');
        $removed = $store->deletePrefix(is_string($prefix) ? $prefix : '');
        $this->info("Removed $removed entries.");
        return self::SUCCESS;
    }
}
