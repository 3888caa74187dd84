<?php
// Laravel's cache, locks, rate limiter and funnel on the redis store. See laravel_setup.php for its arguments.
declare(strict_types=1);
require __DIR__ . '/laravel_setup.php';

use Illuminate\Cache\RateLimiter;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Redis\LimiterTimeoutException;
use Illuminate\Support\Defer\DeferredCallbackCollection;
use Illuminate\Support\Facades\Redis as RedisFacade;

test('values of every type', function (): void {
    $object = new ArrayObject(['a' => 1]);
    foreach (['text' => 'x', 'number' => 42, 'float' => 1.5, 'true' => true, 'false' => false, 'list' => [1, 'b', null], 'empty' => '',
        'binary' => "\0\xff\r\n", 'long' => str_repeat('ü', 600000)] as $key => $value) {
        Check::true(cache()->put($key, $value, 600), $key);
        // Whole and real numbers come back as text where the client does not serialize them.
        Check::same(is_int($value) || is_float($value) ? (string) $value : $value,
            is_int($value) || is_float($value) ? (string) cache()->get($key) : cache()->get($key), $key);
    }
    cache()->put('object', $object, 600);
    Check::same(['a' => 1], cache()->get('object')->getArrayCopy());
    Check::same([null, 'else'], [cache()->get('none'), cache()->get('none', 'else')]);
    Check::same([true, false], [cache()->has('text'), cache()->has('none')]);
    Check::same(['text' => 'x', 'none' => null], cache()->many(['text', 'none']));
    Check::true(cache()->putMany(['m1' => 'a', 'm2' => ['b']], 600), 'putMany');
    Check::same(['a', ['b']], [cache()->get('m1'), cache()->pull('m2')]);
    Check::same([null, true, false], [cache()->get('m2'), cache()->forget('m1'), cache()->forget('m1')]);
});
test('names of keys stay apart', function (): void {
    $names = ['a', 'A', "a\0b", "a\0c", 'user name', 'user  name', 'username', 'email@address', 'ユニコード', "\u{e9}", "e\u{301}", '123', '0'];
    foreach ($names as $n => $name) {
        cache()->put($name, "value $n", 600);
    }
    foreach ($names as $n => $name) {
        Check::same("value $n", cache()->get($name));
    }
});
test('times to live', function (): void {
    cache()->put('week', 'v', now()->addWeek());
    cache()->put('month', 'v', 2678400);
    cache()->put('far', 'v', 80 * 366 * 86400);
    cache()->forever('ever', 'v');
    $prefix = 'shop_database_shop_cache_';
    Check::true(abs(raw(1, 'TTL', $prefix . 'week') - 7 * 86400) < 5, 'a week');
    Check::true(abs(raw(1, 'TTL', $prefix . 'month') - 2678400) < 5, '31 days');
    Check::true(raw(1, 'TTL', $prefix . 'far') > 79 * 366 * 86400, '80 years');
    Check::same(-1, raw(1, 'TTL', $prefix . 'ever'));
    cache()->put('week', 'w', -1);
    Check::same(null, cache()->get('week'), 'a time to live below zero removes');
    cache()->put('short', 'v', 1);
    Check::until(fn () => cache()->get('short') === null);
});
test('add() adds once', function (): void {
    Check::same([true, false, 'first'], [cache()->add('k', 'first', 600), cache()->add('k', 'second', 600), cache()->get('k')]);
    $added = together(8, fn () => cache()->add('raced', 'x', 600));
    Check::same(1, count(array_filter($added, fn ($won) => $won === true)), 'one of eight');
    cache()->add('counter', 0, 60);
    Check::same(1, (int) cache()->increment('counter'));
    Check::true(raw(1, 'TTL', 'shop_database_shop_cache_counter') > 50, 'an increment keeps the time to live of add()');
    Check::same([6, 4], [(int) cache()->increment('counter', 5), (int) cache()->decrement('counter', 2)]);
});
test('remember() and flexible()', function (): void {
    $calls = 0;
    for ($n = 0; $n < 3; ++$n) {
        Check::same(['rows'], cache()->remember('query', 600, function () use (&$calls): array {
            ++$calls;
            return ['rows'];
        }));
        Check::same('page', cache()->rememberForever('page', fn () => 'page'));
        Check::same('fresh', cache()->flexible('flexible', [300, 600], fn () => 'fresh'));
    }
    Check::same(1, $calls);
    // Stale: the refresh takes a lock, so that one of several makes it.
    cache()->put('illuminate:cache:flexible:created:flexible', now()->getTimestamp() - 400, 600);
    $calls = together(4, function (): int {
        global $app;
        $calls = 0;
        cache()->flexible('flexible', [300, 600], function () use (&$calls): string {
            ++$calls;
            usleep(100000);
            return 'newer';
        });
        $app->make(DeferredCallbackCollection::class)->invoke();
        return $calls;
    });
    Check::same(1, array_sum($calls), 'one refresh');
    Check::same('newer', cache()->get('flexible'));
});
test('flush() spares the other database', function (): void {
    raw(0, 'SET', 'lock', 'kept');
    cache()->put('k', 'v', 600);
    cache()->flush();
    Check::same([null, 'kept', 0], [cache()->get('k'), raw(0, 'GET', 'lock'), raw(1, 'DBSIZE')]);
});
test('a lock is one holder\'s', function (): void {
    $won = together(64, fn () => cache()->lock('raced')->get());
    Check::same(1, count(array_filter($won, fn ($won) => $won === true)), 'one of 64');
    $first = cache()->lock('import', 600);
    $second = cache()->lock('import', 600);
    Check::same([true, false, false], [$first->get(), $second->get(), $second->release()]);
    Check::true(raw(0, 'TTL', 'shop_database_shop_cache_import') > 590, 'its time to live');
    Check::same([true, false], [$first->isOwnedByCurrentProcess(), $second->isOwnedByCurrentProcess()]);
    Check::same([true, false, true], [$first->release(), $first->release(), $second->get()]);
    Check::same(true, cache()->restoreLock('import', $second->owner())->release());
    cache()->lock('import', 600)->get();
    cache()->lock('import')->forceRelease();
    Check::same('done', cache()->lock('import', 600)->get(fn () => 'done'));
    Check::same(0, raw(0, 'EXISTS', 'shop_database_shop_cache_import'));
});
test('a lock that ran out and was taken is not its first owner\'s', function (): void {
    $first = cache()->lock('import', 1);
    Check::true($first->get(), 'free');
    $second = cache()->lock('import', 600);
    Check::until(fn () => $second->get());
    Check::same([false, true], [$first->release(), $second->isOwnedByCurrentProcess()]);
    Check::same(false, cache()->lock('import', 600)->get());
});
test('waiting for a lock', function (): void {
    $order = together(6, fn (int $n): mixed => cache()->lock('queue', 600)->betweenBlockedAttemptsSleepFor(5)->block(60, function (): int {
        $n = (int) cache()->get('served');
        usleep(2000);
        cache()->put('served', $n + 1, 600);
        return $n;
    }));
    sort($order);
    Check::same([0, 1, 2, 3, 4, 5], $order);
    cache()->lock('queue', 600)->get();
    Check::throws(LockTimeoutException::class, '', fn () => cache()->lock('queue', 600)->betweenBlockedAttemptsSleepFor(5)->block(0));
});
if (method_exists(Illuminate\Cache\RedisLock::class, 'refresh')) {
    test('refreshing a lock', function (): void {
        $lock = cache()->lock('import', 10);
        $lock->get();
        Check::same(true, $lock->refresh(600));
        Check::true(raw(0, 'TTL', 'shop_database_shop_cache_import') > 590, 'the new time to live');
        cache()->lock('import')->forceRelease();
        Check::same(false, $lock->refresh(600));
    });
}
test('the rate limiter lets through as many as it should', function (): void {
    $limiter = new RateLimiter(cache());
    $through = 0;
    for ($n = 0; $n < 20; ++$n) {
        $through += $limiter->attempt('login', 5, fn () => true, 600) ? 1 : 0;
    }
    Check::same([5, 0], [$through, $limiter->remaining('login', 5)]);
    Check::true($limiter->tooManyAttempts('login', 5) && $limiter->availableIn('login') > 590, 'for ten minutes');
    $limiter->clear('login');
    Check::same(5, $limiter->remaining('login', 5));
    // The first hit alone: Laravel's own increment() sets the counter back to 1 where somebody else's add() came first.
    $limiter->hit('busy', 600);
    $hits = together(8, function (): int {
        $limiter = new RateLimiter(cache());
        for ($n = 0; $n < 25; ++$n) {
            $limiter->hit('busy', 600);
        }
        return 1;
    });
    Check::same([8, 201], [array_sum($hits), (int) $limiter->attempts('busy')]);
});
test('the funnel lets in so many at once', function (): void {
    $inside = together(6, fn (): int => RedisFacade::funnel('reports')->limit(2)->releaseAfter(600)->block(60)->sleep(5)->then(function (): int {
        $inside = RedisFacade::incr('inside');
        usleep(20000);
        RedisFacade::decr('inside');
        return (int) $inside;
    }));
    Check::true(max($inside) === 2 && min($inside) >= 1, 'two at most: ' . json_encode($inside));
    for ($n = 0; $n < 2; ++$n) {
        RedisFacade::funnel('full')->limit(2)->releaseAfter(600)->block(0)->then(function () use ($n): void {
            if ($n === 1) {
                return;
            }
            RedisFacade::funnel('full')->limit(2)->releaseAfter(600)->block(0)->then(function (): void {
                Check::throws(LimiterTimeoutException::class, '', fn () => RedisFacade::funnel('full')->limit(2)->releaseAfter(600)->block(0)->then(fn () => 1));
            });
        });
    }
});
test('commands of one\'s own', function (): void {
    RedisFacade::set('name', 'Taylor');
    Check::same('Taylor', RedisFacade::get('name'));
    $answers = RedisFacade::pipeline(function ($pipe): void {
        for ($n = 0; $n < 100; ++$n) {
            $pipe->set("key:$n", $n);
        }
    });
    Check::same(100, count($answers));
    RedisFacade::transaction(function ($tx): void {
        $tx->incr('visits');
        $tx->incr('total');
    });
    Check::same(['1', '1'], [RedisFacade::get('visits'), RedisFacade::get('total')]);
    if (Check::coppice()) {
        Check::same(100, raw(0, 'DELPREFIX', 'shop_database_key:'));
    }
});
Check::end();
