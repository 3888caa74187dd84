<?php
// A connection for Symfony's adapters: the program's arguments are the autoloader and phpredis or predis.
declare(strict_types=1);
require __DIR__ . '/check.php';
require $argv[1];

use Symfony\Component\Cache\Adapter\RedisAdapter;

function connection(): object
{
    global $argv;
    // Predis 1.1 sets an option of TCP on whatever socket Symfony gives it.
    return $argv[2] === 'predis'
        ? RedisAdapter::createConnection('redis://127.0.0.1:' . Check::port() . '/3', ['class' => Predis\Client::class, 'timeout' => 10])
        : RedisAdapter::createConnection('redis://' . Check::socket() . '?dbindex=3', ['class' => Redis::class, 'timeout' => 10]);
}

/** Asks the server past the adapters, in their database. */
function raw(string ...$words): mixed
{
    static $redis = null;
    if ($redis === null) {
        $redis = new Redis();
        $redis->connect(Check::socket());
        $redis->select(3);
    }
    return $redis->rawCommand(...$words);
}

function test(string $name, callable $body): void
{
    raw('FLUSHALL');
    Check::test($name, $body);
}
