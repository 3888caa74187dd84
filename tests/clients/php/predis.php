<?php
// Predis, both lines of it (1.1 and 3), as an application's cache. Its first argument is the autoloader.
declare(strict_types=1);
require __DIR__ . '/check.php';
require $argv[1];

function client(array $options = [], array $more = []): Predis\Client
{
    return new Predis\Client(['scheme' => 'unix', 'path' => Check::socket()] + $more, $options);
}

$r = client();
function test(string $name, callable $body): void
{
    global $r;
    $r->flushall();
    Check::test($name, fn () => $body($r));
}

test('values', function (Predis\Client $r): void {
    foreach (['', '0', "a\0b", str_repeat("\xff\r\n", 400000), implode('', array_map('chr', range(0, 255)))] as $n => $value) {
        Check::same('OK', $r->set("v$n", $value, 'EX', 1000)->getPayload());
        Check::same($value, $r->get("v$n"));
        Check::true($r->ttl("v$n") > 990, 'ttl');
    }
    Check::same(null, $r->get('none'));
    Check::same(null, $r->set('v0', 'x', 'EX', 100, 'NX'));
    $r->setex('s', 100, 'v');
    $r->psetex('p', 100000, 'v');
    Check::same([1, 0], [$r->setnx('n', 'v'), $r->setnx('n', 'w')]);
    Check::same(['v', 'v', null], $r->mget(['s', 'p', 'none']));
    Check::same('v', $r->getset('s', 'w'));
    Check::same(2, $r->del(['s', 'p', 'none']));
    Check::same([1, 1], [$r->exists('v0'), $r->append('n2', 'x')]);
});
test('over TCP, with a prefix, in another database', function (): void {
    $mine = new Predis\Client(['host' => '127.0.0.1', 'port' => Check::port(), 'database' => 4], ['prefix' => 'app:']);
    $mine->mset(['a' => 1, 'b' => 2]);
    Check::same(['1', '2'], $mine->mget('a', 'b'));
    Check::same(2, (int) $mine->dbsize());
    $raw = client([], ['database' => 4]);
    Check::same('1', $raw->get('app:a'));
    $mine->flushdb();
    Check::same(0, (int) $raw->dbsize());
});
test('errors', function (Predis\Client $r): void {
    $r->set('text', 'abc');
    Check::throws(Predis\Response\ServerException::class, 'ERR value is not an integer or out of range', fn () => $r->incr('text'));
    Check::same("ERR unknown command 'NOSUCH', with args beginning with: 'a' ", $r->executeRaw(['NOSUCH', 'a'], $error));
    Check::same(true, $error);
    Check::throws(Predis\Response\ServerException::class, 'ERR invalid expire time', fn () => $r->setex('text', 0, 'new'));
    Check::same('abc', $r->get('text'));
    if (Check::coppice()) {
        Check::throws(Predis\Response\ServerException::class, 'NOLUA', fn () => $r->eval('return redis.call("GET", KEYS[1])', 1, 'k'));
    }
    Check::throws(Predis\Response\ServerException::class, 'NOSCRIPT', fn () => $r->evalsha(str_repeat('f', 40), 0));
    $absent = new Predis\Client(['scheme' => 'unix', 'path' => Check::socket() . '.absent']);
    Check::throws(Exception::class, 'No such file or directory', fn () => $absent->get('k'));
});
test('pipelines', function (Predis\Client $r): void {
    $answers = $r->pipeline(function ($pipe): void {
        for ($n = 0; $n < 2000; ++$n) {
            $pipe->set("k$n", (string) $n, 'EX', 1000);
            $pipe->get("k$n");
        }
    });
    Check::same(4000, count($answers));
    Check::same('1999', $answers[3999]);
});
test('transactions', function (Predis\Client $r): void {
    $answers = $r->transaction()->set('a', '1')->incr('a')->get('a')->execute();
    Check::same([2, '2'], array_slice($answers, 1));
    $tries = 0;
    $answers = $r->transaction(['watch' => 'a', 'cas' => true, 'retry' => 3], function ($tx) use (&$tries): void {
        $value = (int) $tx->get('a');
        if (++$tries === 1) {
            client()->incr('a');
        }
        $tx->multi();
        $tx->set('a', (string) ($value * 10));
    });
    Check::same([2, '30'], [$tries, $r->get('a')]);
    Check::throws(Predis\Transaction\AbortedMultiExecException::class, '', function () use ($r): void {
        $r->transaction(['watch' => 'a', 'cas' => true], function ($tx): void {
            $tx->get('a');
            client()->incr('a');
            $tx->multi();
            $tx->set('a', 'lost');
        });
    });
    Check::same('31', $r->get('a'));
});
test('counters', function (Predis\Client $r): void {
    Check::same([-1, 4, 1], [$r->decr('n'), $r->incrby('n', 5), $r->decrby('n', 3)]);
    Check::same('0.5', (string) $r->incrbyfloat('f', 0.5));
    $r->set('with ttl', 1, 'EX', 60);
    $r->incr('with ttl');
    Check::true($r->ttl('with ttl') > 50, 'an increment keeps the time to live');
});
test('scanning', function (Predis\Client $r): void {
    $r->mset(array_fill_keys(array_map(fn (int $n): string => "user:$n", range(1, 3000)), 'v'));
    $r->mset(array_fill_keys(array_map(fn (int $n): string => "other:$n", range(1, 100)), 'v'));
    $seen = [];
    foreach (new Predis\Collection\Iterator\Keyspace($r, 'user:*', 50) as $key) {
        $seen[$key] = true;
    }
    Check::same(3000, count($seen));
    $found = $r->keys('other:1?');
    sort($found);
    Check::same(10, count($found));
    Check::same('other:10', $found[0]);
});
test('keys and their times', function (Predis\Client $r): void {
    $r->set('k', 'v');
    Check::same([-1, 1, 1, -1, 1], [$r->ttl('k'), $r->expire('k', 100), $r->persist('k'), $r->ttl('k'), $r->pexpire('k', 50000)]);
    Check::same('string', (string) $r->type('k'));
    $r->rename('k', 'l');
    Check::same([0, 'v'], [$r->exists('k'), $r->get('l')]);
    Check::true($r->ttl('l') > 40, 'the time to live goes with it');
    $r->set('near', 'v', 'PX', 1);
    Check::until(fn () => $r->get('near') === null);
});
test('what the server says of itself', function (Predis\Client $r): void {
    $r->set('k', 'v');
    $r->get('k');
    $info = $r->info();
    Check::true(version_compare((string) $info['Server']['redis_version'], '7.0.0', '>='), 'version');
    Check::same('1', (string) $info['Keyspace']['db0']['keys']);
    Check::true($info['Memory']['used_memory'] > 0 && $info['Stats']['keyspace_hits'] > 0, 'memory and hits');
    Check::same(['maxmemory-policy'], array_keys($r->config('GET', 'maxmemory-policy')));
    Check::same(1, count($r->client('LIST')));
});
test('publish and subscribe', function (): void {
    $heard = Check::together(2, function (int $child): array|int {
        $mine = client([], ['read_write_timeout' => 0]);
        if ($child === 1) {
            Check::until(fn () => $mine->publish('news', 'first') === 1);
            return $mine->publish('news', 'last');
        }
        $heard = [];
        $loop = $mine->pubSubLoop();
        $loop->subscribe('news');
        foreach ($loop as $message) {
            if ($message->kind === 'message') {
                $heard[] = $message->payload;
            }
            if ($message->payload === 'last') {
                $loop->unsubscribe();
            }
        }
        return $heard;
    });
    Check::same([['first', 'last'], 1], $heard);
});
if (Check::coppice()) {
    test('a group of keys goes in one command', function (Predis\Client $r): void {
        $r->mset(['post:1:a' => 1, 'post:1:b' => 2, 'post:10:a' => 3]);
        Check::same(2, $r->executeRaw(['DELPREFIX', 'post:1:']));
        Check::same('3', $r->get('post:10:a'));
    });
}
if (version_compare(Predis\Client::VERSION, '3.0.0', '>=')) {
    test('RESP3', function (): void {
        $mine = client([], ['protocol' => 3]);
        Check::same('OK', $mine->set('k', 'v')->getPayload());
        Check::same(['v', null], $mine->mget('k', 'none'));
        Check::true(isset($mine->info()['Memory']['used_memory']) || str_contains((string) json_encode($mine->info()), 'used_memory'), 'INFO');
        Check::same(['maxmemory-policy'], array_keys($mine->config('GET', 'maxmemory-policy')));
    });
}
Check::end();
