<?php
// Symfony's RedisAdapter on the daemon: php symfony.php autoloader phpredis|predis.
declare(strict_types=1);
require __DIR__ . '/symfony_setup.php';

use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Psr16Cache;
use Symfony\Contracts\Cache\ItemInterface;

$pool = new RedisAdapter(connection(), 'app', 0);

test('items', function () use ($pool): void {
    $item = $pool->getItem('stats.products');
    Check::same([false, null], [$item->isHit(), $item->get()]);
    foreach ([4711, null, false, 'text', '', "\0\xff", ['a' => [1.5, true]], str_repeat('ü', 300000)] as $n => $value) {
        Check::true($pool->save($pool->getItem("k$n")->set($value)->expiresAfter(600)), 'save');
        $item = $pool->getItem("k$n");
        Check::same([true, $value], [$item->isHit(), $item->get()]);
    }
    $pool->save($pool->getItem('object')->set(new ArrayObject([1])));
    Check::same([1], $pool->getItem('object')->get()->getArrayCopy());
    Check::same([true, true, false], [$pool->hasItem('k0'), $pool->deleteItem('k0'), $pool->hasItem('k0')]);
    Check::true($pool->deleteItems(['k1', 'k2']), 'deleteItems');
    Check::same([false, true], [$pool->getItem('k1')->isHit(), $pool->getItem('k3')->isHit()]);
});
test('many at once, deferred', function () use ($pool): void {
    for ($n = 0; $n < 1000; ++$n) {
        $pool->saveDeferred($pool->getItem((string) $n)->set($n)->expiresAfter($n % 2 ? 600 : 900));
    }
    Check::true($pool->commit(), 'commit');
    $values = [];
    foreach ($pool->getItems(['123', '0', '999', '1000']) as $key => $item) {
        $values[] = [(string) $key, $item->get()];
    }
    Check::same([['123', 123], ['0', 0], ['999', 999], ['1000', null]], $values);
    $psr16 = new Psr16Cache($pool);
    $got = [];
    foreach ($psr16->getMultiple(['7', '8']) as $key => $value) {
        $got[] = [(string) $key, $value];
    }
    Check::same([['7', 7], ['8', 8]], $got);
});
test('computing a value once', function () use ($pool): void {
    $calls = 0;
    for ($n = 0; $n < 3; ++$n) {
        Check::same('made', $pool->get('my_cache_key', function (ItemInterface $item) use (&$calls): string {
            $item->expiresAfter(3600);
            ++$calls;
            return 'made';
        }, 0));
    }
    Check::same(1, $calls);
    $pool->delete('my_cache_key');
    Check::same('again', $pool->get('my_cache_key', fn () => 'again'));
});
test('times to live', function () use ($pool): void {
    $pool->save($pool->getItem('short')->set('v')->expiresAfter(1));
    $pool->save($pool->getItem('far')->set('v')->expiresAfter(80 * 366 * 86400));
    $pool->save($pool->getItem('month')->set('v')->expiresAt(new DateTimeImmutable('+31 days')));
    $pool->save($pool->getItem('past')->set('v')->expiresAfter(-5));
    Check::same([true, true, false], [$pool->hasItem('far'), $pool->hasItem('month'), $pool->hasItem('past')]);
    Check::until(fn () => !$pool->hasItem('short'));
    Check::true(abs(raw('TTL', 'app:month') - 31 * 86400) < 10, 'a month');
    // Saved again without a time of its own: the pool's, which is none.
    $pool->save($pool->getItem('month')->set('w')->expiresAfter(null));
    Check::same(-1, raw('TTL', 'app:month'));
});
test('names of keys', function () use ($pool): void {
    foreach (['{}', 'a/b', 'a:b', 'email@address', 'a(b'] as $bad) {
        Check::throws(Psr\Cache\InvalidArgumentException::class, 'reserved characters', fn () => $pool->getItem($bad));
    }
    foreach (['user name', 'user  name', 'username', 'ユニコード', "\u{e9}", "e\u{301}", 'A', 'a'] as $n => $name) {
        $pool->save($pool->getItem($name)->set($n));
        Check::same($n, $pool->getItem($name)->get());
    }
    Check::same(8, raw('DBSIZE'));
});
test('clear() of one namespace spares the other', function () use ($pool): void {
    $other = new RedisAdapter(connection(), 'app2', 0);
    for ($n = 0; $n < 2000; ++$n) {
        $pool->saveDeferred($pool->getItem("k$n")->set($n));
    }
    $pool->commit();
    $other->save($other->getItem('k0')->set('kept'));
    $sub = new RedisAdapter(connection(), 'app.sub', 0);
    $sub->save($sub->getItem('k0')->set('kept'));
    Check::true($pool->clear(), 'clear');
    Check::same([false, 'kept', 'kept', 2], [$pool->hasItem('k0'), $other->getItem('k0')->get(), $sub->getItem('k0')->get(), raw('DBSIZE')]);
    $pool->save($pool->getItem('user1')->set(1));
    $pool->save($pool->getItem('post1')->set(1));
    $pool->clear('user');
    Check::same([false, true], [$pool->hasItem('user1'), $pool->hasItem('post1')]);
});
test('processes that write and clear together', function (): void {
    $wrong = Check::together(4, function (int $child): int {
        $pool = new RedisAdapter(connection(), 'app', 0);
        for ($n = $wrong = 0; $n < 100; ++$n) {
            $pool->save($pool->getItem("k$child")->set([$child, $n]));
            $item = $pool->getItem("k$child");
            $wrong += !$item->isHit() || $item->get() === [$child, $n] ? 0 : 1;
            if ($child === 0 && $n % 10 === 0) {
                $pool->clear();
            }
        }
        return $wrong;
    });
    Check::same([0, 0, 0, 0], $wrong);
});
test('two keys computed at the same time are both saved', function (): void {
    // The locks against stampedes of these two are the same file: neither waits for the other in vain.
    $values = Check::together(2, function (int $child): string {
        $pool = new RedisAdapter(connection(), 'app', 0);
        return $pool->get("key$child", function (ItemInterface $item) use ($child): string {
            usleep(20000);
            return "value $child";
        }, INF);
    });
    Check::same(['value 0', 'value 1'], $values);
    Check::same(2, raw('DBSIZE'));
});
Check::end();
