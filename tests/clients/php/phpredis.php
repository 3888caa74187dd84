<?php
// phpredis as an application's cache: values, counters, batches, scans, serializers, children of a fork.
declare(strict_types=1);
require __DIR__ . '/check.php';

function client(): Redis
{
    $r = new Redis();
    $r->connect(Check::socket());
    return $r;
}

// phpredis 5.3 leaves a NUL at its end.
function lastError(Redis $r): string
{
    return rtrim((string) $r->getLastError(), "\0");
}

$r = client();
function test(string $name, callable $body): void
{
    global $r;
    $r->flushAll();
    Check::test($name, fn () => $body($r));
}

test('values', function (Redis $r): void {
    foreach (['', '0', "a\0b", str_repeat("\xff\r\n", 400000), implode('', array_map('chr', range(0, 255)))] as $n => $value) {
        Check::true($r->set("v$n", $value, ['ex' => 1000]), 'set');
        Check::same($value, $r->get("v$n"));
        Check::true($r->ttl("v$n") > 990, 'ttl');
    }
    Check::same(false, $r->get('none'));
    Check::same(false, $r->set('v0', 'x', ['nx']));
    Check::same(true, $r->setex('s', 100, 'v') && $r->psetex('p', 100000, 'v') && $r->setnx('n', 'v'));
    Check::same(['v', 'v', false], $r->mget(['s', 'p', 'none']));
    Check::same('v', $r->getSet('s', 'w'));
    Check::same(2, $r->del('s', 'p', 'none'));
    Check::same(1, $r->unlink(['n']));
    $found = $r->keys('v[12]');
    sort($found);
    Check::same(['v1', 'v2'], $found);
});
test('an error is an answer, and the connection goes on', function (Redis $r): void {
    $r->set('text', 'abc', 1000);
    Check::same(false, $r->incr('text'));
    Check::same('ERR value is not an integer or out of range', lastError($r));
    $r->clearLastError();
    Check::same(false, $r->rawCommand('SET', 'text', 'new', 'PX', '0'));
    Check::same('abc', $r->get('text'));
    Check::same(false, $r->rawCommand('NOSUCH', 'a'));
    Check::same("ERR unknown command 'NOSUCH', with args beginning with: 'a' ", lastError($r));
    $r->clearLastError();
    Check::same(true, $r->ping() === true || $r->ping() === '+PONG');
});
test('counters beside serializers', function (Redis $r): void {
    $serializers = [Redis::SERIALIZER_NONE, Redis::SERIALIZER_PHP, Redis::SERIALIZER_JSON];
    if (defined('Redis::SERIALIZER_IGBINARY')) {
        $serializers[] = Redis::SERIALIZER_IGBINARY;
    }
    foreach ($serializers as $serializer) {
        $r->setOption(Redis::OPT_SERIALIZER, $serializer);
        try {
            $r->del('fresh', 'kept');
            Check::same(1, $r->incr('fresh'));
            Check::same(6, $r->incrBy('fresh', 5));
            Check::same(5, $r->decr('fresh'));
            $kept = $serializer === Redis::SERIALIZER_NONE ? 'text' : ['a' => [1, null, 2.5]];
            $r->set('kept', $kept, 1000);
            Check::same(false, $r->incr('kept'), 'a serialized value is no counter');
            Check::same($kept, $r->get('kept'));
        } finally {
            $r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
        }
        Check::same('5', $r->get('fresh'));
    }
    Check::same(1.5, $r->incrByFloat('f', 1.5));
});
test('a prefix of keys is the client\'s', function (Redis $r): void {
    $r->setOption(Redis::OPT_PREFIX, 'app:');
    try {
        $r->mset(['a' => 1, 'b' => 2]);
        Check::same(['1', '2'], $r->mget(['a', 'b']));
        $found = $r->keys('*');
        sort($found);
        Check::same(['app:a', 'app:b'], $found);
    } finally {
        $r->setOption(Redis::OPT_PREFIX, '');
    }
    Check::same(2, $r->exists('app:a', 'app:b'));
});
test('batches: pipeline, multi, watch', function (Redis $r): void {
    $pipe = $r->pipeline();
    for ($n = 0; $n < 2000; ++$n) {
        $pipe->set("k$n", (string) $n, 1000)->get("k$n");
    }
    $answers = $pipe->exec();
    Check::same(4000, count($answers));
    Check::same('1999', $answers[3999]);
    Check::same([true, 2, '2'], $r->multi()->set('a', '1')->incr('a')->get('a')->exec());
    $r->watch('a');
    client()->incr('a');
    Check::same(false, $r->multi()->set('a', '100')->exec());
    Check::same('3', $r->get('a'));
    Check::same([true, false, 'x'], $r->multi()->set('s', 'x')->incr('s')->get('s')->exec());
});
test('scanning and deleting', function (Redis $r): void {
    $r->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    $r->mset(array_fill_keys(array_map(fn (int $n): string => "user:$n", range(1, 3000)), 'v'));
    $r->mset(array_fill_keys(array_map(fn (int $n): string => "other:$n", range(1, 100)), 'v'));
    $cursor = null;
    $deleted = 0;
    while (($keys = $r->scan($cursor, 'user:*', 50)) !== false) {
        $deleted += $r->del($keys);
    }
    Check::same(3000, $deleted);
    Check::same(100, $r->dbSize());
});
test('databases', function (Redis $r): void {
    $r->set('k', 'zero');
    $r->select(5);
    try {
        Check::same(false, $r->get('k'));
        $r->set('k', 'five');
        $r->flushDB();
    } finally {
        $r->select(0);
    }
    Check::same('zero', $r->get('k'));
});
test('times to live', function (Redis $r): void {
    foreach ([2678400, 80 * 366 * 86400, 9223372036854775] as $seconds) {
        $done = $r->set('far', 'v', ['ex' => $seconds]);
        Check::true($done ? $r->ttl('far') > 0 && $r->get('far') === 'v' : $r->get('far') !== false, "TTL $seconds is kept or refused");
        $r->clearLastError();
    }
    $r->set('near', 'v', ['px' => 1]);
    Check::until(fn () => $r->get('near') === false);
    $r->set('k', 'v');
    Check::same([-1, true, -2], [$r->ttl('k'), $r->expire('k', 100), $r->ttl('none')]);
    Check::same(true, $r->persist('k'));
    Check::same([-1, true], [$r->ttl('k'), $r->expireAt('k', 4102444800)]);
});
test('a script that nobody knows', function (Redis $r): void {
    if (Check::coppice()) {
        Check::throws(RedisException::class, 'NOLUA', fn () => $r->eval('return redis.call("GET", KEYS[1])', ['k'], 1));
    }
    // phpredis keeps this one to itself.
    Check::same(false, $r->evalSha(str_repeat('f', 40), [], 0));
    Check::true(str_starts_with(lastError($r), 'NOSCRIPT'), lastError($r));
});
test('children of a fork, each with a connection of its own', function (Redis $r): void {
    $wrong = Check::together(4, function (int $child): int {
        $mine = client();
        $wrong = 0;
        for ($n = 0; $n < 500; ++$n) {
            $mine->set("child:$child", "$child:$n");
            $wrong += $mine->get("child:$child") === "$child:$n" ? 0 : 1;
        }
        return $wrong;
    });
    Check::same([0, 0, 0, 0], $wrong);
    Check::same('3:499', $r->get('child:3'), 'the parent goes on');
    Check::same(4, count($r->keys('child:*')));
});
test('a subscription', function (): void {
    $heard = Check::together(2, function (int $child): array|int {
        $mine = client();
        if ($child === 1) {
            Check::until(fn () => $mine->publish('news', 'first') === 1);
            $heard = $mine->publish('news', 'last');
            Check::same(1, $mine->rawCommand('CLIENT', 'KILL', 'ID', $mine->get('listener')));
            return $heard;
        }
        $mine->set('listener', $mine->rawCommand('CLIENT', 'ID'));
        // phpredis may connect again instead of noticing that it was closed, and would wait there for ever.
        $mine->setOption(Redis::OPT_READ_TIMEOUT, 5);
        $heard = [];
        try {
            $mine->subscribe(['news'], function (Redis $mine, string $channel, string $message) use (&$heard): void {
                $heard[] = "$channel $message";
            });
        } catch (RedisException) {
            // The other one closed this connection.
        }
        return $heard;
    });
    Check::same([['news first', 'news last'], 1], $heard);
});
test('a server that is absent', function (): void {
    $absent = new Redis();
    Check::throws(RedisException::class, '', fn () => $absent->connect(Check::socket() . '.absent'));
});
test('what the server says of itself', function (Redis $r): void {
    $r->set('k', 'v');
    $r->get('k');
    $info = $r->info();
    Check::true(version_compare((string) $info['redis_version'], '7.0.0', '>='), 'version');
    Check::same('1', explode('=', explode(',', (string) $info['db0'])[0])[1], 'keys');
    Check::true($info['used_memory'] > 0 && $info['keyspace_hits'] > 0, 'memory and hits');
    Check::same(1, count($r->config('GET', 'maxmemory-policy')));
    Check::same(Redis::REDIS_STRING, $r->type('k'));
    Check::true($r->object('encoding', 'k') === 'embstr', 'encoding');
});
if (Check::coppice()) {
    test('a group of keys goes in one command', function (Redis $r): void {
        $r->mset(['post:1:a' => 1, 'post:1:b' => 2, 'post:10:a' => 3]);
        Check::same(2, $r->rawCommand('DELPREFIX', 'post:1:'));
        Check::same('3', $r->get('post:10:a'));
    });
}
Check::end();
