<?php
// A Laravel application in one file, on its redis cache store: php PROGRAM autoloader phpredis|predis.
declare(strict_types=1);
require __DIR__ . '/check.php';
require $argv[1];

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Cache\Repository;
use Illuminate\Config\Repository as Config;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Foundation\Application;
use Illuminate\Redis\RedisServiceProvider;
use Illuminate\Support\Defer\DeferredCallbackCollection;
use Illuminate\Support\Facades\Facade;

function application(): Application
{
    global $argv;
    $server = $argv[2] === 'predis'
        ? ['scheme' => 'unix', 'path' => Check::socket()]
        : ['host' => Check::socket(), 'port' => 0];
    $app = new Application(sys_get_temp_dir());
    $app->instance('config', new Config([
        'app' => ['name' => 'shop', 'env' => 'testing'],
        'cache' => [
            'default' => 'redis',
            'prefix' => 'shop_cache_',
            'stores' => ['redis' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'default']],
        ],
        'database' => ['redis' => [
            'client' => $argv[2],
            'options' => ['prefix' => 'shop_database_'],
            'default' => $server + ['database' => 0],
            'cache' => $server + ['database' => 1],
        ]],
    ]));
    $app->singleton(DeferredCallbackCollection::class);
    Facade::clearResolvedInstances();
    Facade::setFacadeApplication($app);
    foreach ([EventServiceProvider::class, RedisServiceProvider::class, CacheServiceProvider::class] as $provider) {
        $app->register($provider);
    }
    return $app;
}

function cache(): Repository
{
    global $app;
    /** @var CacheManager $manager */
    $manager = $app->make('cache');
    return $manager->store();
}

/** Asks the server past the application. */
function raw(int $database, string ...$words): mixed
{
    static $redis = null;
    if ($redis === null) {
        $redis = new Redis();
        $redis->connect(Check::socket());
    }
    $redis->select($database);
    return $redis->rawCommand(...$words);
}

/** Children's connections are their own: each makes a new application. */
function together(int $count, callable $body): array
{
    return Check::together($count, function (int $n) use ($body): mixed {
        global $app;
        $app = application();
        return $body($n);
    });
}

function test(string $name, callable $body): void
{
    cache()->flush();
    raw(0, 'FLUSHDB');
    Check::test($name, $body);
}

$app = application();
