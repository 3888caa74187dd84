<?php

declare(strict_types=1);

namespace Coppice\Laravel;

use Coppice\Cache;
use Coppice\CacheException;
use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Session\CacheBasedSessionHandler;
use Illuminate\Session\SessionManager;
use Illuminate\Support\ServiceProvider;

/**
 * Makes the cache driver "coppice", a store and a session driver of the same name, and the commands coppice:prune, coppice:stats and
 * coppice:forget-prefix. Found by Laravel itself.
 */
class CoppiceServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../../config/coppice.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'cache.stores.coppice');
        $this->app->resolving('cache', function (CacheManager $manager): void {
            // The manager binds this to itself: neither $this nor self is the provider in there.
            $manager->extend('coppice', function (Application $app, array $config): CoppiceRepository {
                return CoppiceServiceProvider::repository($app, $config);
            });
        });
        $this->app->resolving('session', function (SessionManager $manager): void {
            $manager->extend('coppice', function (Application $app): CacheBasedSessionHandler {
                return CoppiceServiceProvider::sessions($app);
            });
        });
    }

    public function boot(): void
    {
        if ($this->app->runningInConsole()) {
            $this->commands([PruneCommand::class, StatsCommand::class, ForgetPrefixCommand::class]);
            $this->publishes([self::CONFIG => $this->app->configPath('coppice.php')], 'coppice-config');
        }
    }

    /** @internal */
    public static function sessions(Application $app): CacheBasedSessionHandler
    {
        /** @var Config $config */
        $config = $app->make('config');
        /** @var CacheManager $manager */
        $manager = $app->make('cache');
        $store = $config->get('session.store');
        $minutes = $config->get('session.lifetime');
        /** @var \Illuminate\Contracts\Cache\Repository $repository */
        $repository = $manager->store(is_string($store) ? $store : 'coppice');
        if ($repository instanceof CoppiceRepository && ($coppice = $repository->getStore()) instanceof CoppiceStore) {
            $repository = new CoppiceRepository($coppice->strict());
        }
        return new CacheBasedSessionHandler(clone $repository, is_numeric($minutes) ? (int) $minutes : 120);
    }

    /**
     * @internal
     * @param array<mixed> $config
     */
    public static function repository(Application $app, array $config): CoppiceRepository
    {
        $dsn = $config['dsn'] ?? 'auto:';
        $options = $config['options'] ?? [];
        /** @var Config $all */
        $all = $app->make('config');
        $prefix = $config['prefix'] ?? $all->get('cache.prefix') ?? '';
        if (!is_string($dsn) || !is_array($options) || !is_string($prefix)) {
            throw new \InvalidArgumentException('a store with driver coppice needs a string "dsn", an array "options" and a string "prefix"');
        }
        /** @var array<string, mixed> $options */
        $log = static function (CacheException $e) use ($app): void {
            if ($app->bound('log')) {
                /** @var \Psr\Log\LoggerInterface $log */
                $log = $app->make('log');
                $log->warning('The cache can\'t be used: ' . $e->getMessage(), ['exception' => $e]);
            }
        };
        $store = new CoppiceStore(Cache::open($dsn, $options + ['on_error' => 'throw']), $prefix, (bool) ($config['allow_local'] ?? false), $log);
        /** @var array<string, mixed> $config */
        $repository = new CoppiceRepository($store, $config);
        if ($app->bound('events') && ($config['events'] ?? true)) {
            /** @var \Illuminate\Contracts\Events\Dispatcher $events */
            $events = $app->make('events');
            $repository->setEventDispatcher($events);
        }
        return $repository;
    }
}
