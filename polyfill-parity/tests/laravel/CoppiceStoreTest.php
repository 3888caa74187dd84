<?php

declare(strict_types=1);

use Coppice\Laravel\CoppiceServiceProvider;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Cache\Events\CacheHit;
use Illuminate\Cache\Events\CacheMissed;
use Illuminate\Cache\Events\KeyWritten;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Foundation\Application;
use PHPUnit\Framework\TestCase;

/** The store as an application gets it: by the provider, from its configuration. */
final class CoppiceStoreTest extends TestCase
{
    private Application $app;
    private Repository $cache;

    protected function setUp(): void
    {
        $this->app = new Application(sys_get_temp_dir());
        $this->app->instance('config', new Illuminate\Config\Repository([
            'cache' => ['default' => 'coppice', 'prefix' => 'laravel-test-', 'stores' => ['coppice' => ['dsn' => getenv('COPPICE_TEST_DSN') ?: 'local:', 'allow_local' => true], 'array' => ['driver' => 'array']]],
        ]));
        $this->app->register(EventServiceProvider::class);
        $this->app->register(CacheServiceProvider::class);
        $this->app->register(CoppiceServiceProvider::class);
        $this->app->boot();
        Illuminate\Support\Facades\Facade::setFacadeApplication($this->app);
        $this->cache = $this->app->make('cache')->store();
        $this->cache->flush();
        $this->cache->getStore()->flushLocks();
    }

    public function testValues(): void
    {
        $c = $this->cache;
        foreach (['text', 5, 1.5, true, false, [], ['a' => [1, 2]], new ArrayObject([1])] as $value) {
            $this->assertTrue($c->put('k', $value, 60));
            $this->assertEquals($value, $c->get('k'));
        }
        $this->assertSame('default', $c->get('none', 'default'));
        $this->assertSame('computed', $c->get('none', fn () => 'computed'));
        $this->assertSame(['k' => 'v', 'none' => null, '5' => 'five'], [$c->put('k', 'v'), $c->put('5', 'five'), $c->many(['k', 'none', '5'])][2]);
        $this->assertTrue($c->putMany(['a' => 1, '7' => 2], 60));
        $this->assertSame([1, 2], array_values($c->many(['a', '7'])));
        $this->assertSame([true, false, null], [$c->forget('k'), $c->forget('k'), $c->get('k')]);
        $this->assertSame(['v', null], [$c->put('p', 'v', 60) ? $c->pull('p') : 0, $c->get('p')]);
        $this->assertTrue($c->forever('f', 1));
        $this->assertNull($c->getStore()->cache()->find('f')->ttl);
        $this->assertTrue($c->put('k', 'v', now()->addMinutes(5)));
        $this->assertEqualsWithDelta(300, $c->getStore()->cache()->find('k')->ttl, 3);
        $this->assertTrue($c->put('k', 'v', 0) && !$c->has('k'));
    }

    public function testAtomicOperations(): void
    {
        $c = $this->cache;
        $this->assertSame([true, false], [$c->add('a', 1, 60), $c->add('a', 2, 60)]);
        $this->assertSame([2, 7, 6], [$c->increment('a'), $c->increment('a', 5), $c->decrement('a')]);
        $this->assertSame([1, -1], [$c->increment('new'), $c->decrement('other')]);
        $this->assertEqualsWithDelta(60, $c->getStore()->cache()->find('a')->ttl, 3);
        $this->assertSame([true, false], [$c->getStore()->touch('a', 100), $c->getStore()->touch('none', 100)]);
        $this->assertEqualsWithDelta(100, $c->getStore()->cache()->find('a')->ttl, 3);
    }

    public function testPrefixes(): void
    {
        $c = $this->cache;
        $c->getStore()->cache()->set('user.1.name', 'Ada');
        $c->put('user.1.mail', 'a@b', 60);
        $c->put('user.10.name', 'Eve', 60);
        $this->assertSame(2, $c->deletePrefix('user.1.'));
        $this->assertTrue($c->has('user.10.name'));
        $outside = Coppice\Cache::open(getenv('COPPICE_TEST_DSN') ?: 'local:');
        $outside->set('not of the store', 1);
        $this->assertTrue($c->flush());
        $this->assertSame([false, true], [$c->has('user.10.name'), $outside->has('not of the store')]);
        $outside->delete('not of the store');
    }

    public function testTags(): void
    {
        $c = $this->cache;
        $c->tags(['people', 'artists'])->put('John', 'j', 60);
        $c->tags(['people', 'authors'])->put('Anne', 'a', 60);
        $c->tags('people')->forever('Eve', 'e');
        $c->tags(['counters'])->increment('n');
        $c->tags(['counters'])->increment('n', 4);
        $c->put('plain', 1, 60);
        $this->assertSame(['j', 'a', 'e', 5], [$c->tags(['people', 'artists'])->get('John'), $c->tags(['people', 'authors'])->get('Anne'), $c->tags('people')->get('Eve'), $c->tags('counters')->get('n')]);
        $this->assertNull($c->tags(['people'])->get('John'));
        $this->assertTrue($c->tags('authors')->flush());
        $this->assertSame(['j', null], [$c->tags(['people', 'artists'])->get('John'), $c->tags(['people', 'authors'])->get('Anne')]);
        $this->assertTrue($c->tags(['people', 'counters'])->flush());
        $this->assertSame([null, null, null, 1], [$c->tags(['people', 'artists'])->get('John'), $c->tags('people')->get('Eve'), $c->tags('counters')->get('n'), $c->get('plain')]);
        $this->assertSame('r', $c->tags(['group'])->remember('k', 60, fn () => 'r'));
        $this->assertSame('r', $c->tags(['group'])->remember('k', 60, fn () => 'again'));
        $c->tags(['group'])->flush();
        $this->assertSame('again', $c->tags(['group'])->remember('k', 60, fn () => 'again'));
        $this->assertTrue($c->tags(['group'])->add('added', 1, 60) && $c->tags(['group'])->putMany(['x' => 1, 'y' => 2], 60));
        $c->tags(['group'])->flush();
        $this->assertSame(1, $c->getStore()->cache()->countPrefix());
        $this->assertSame(0, $c->getStore()->cache()->stats()['tags']);
    }

    public function testRemember(): void
    {
        $c = $this->cache;
        $times = 0;
        $compute = function () use (&$times) {
            return 'v' . ++$times;
        };
        $this->assertSame(['v1', 'v1'], [$c->remember('k', 60, $compute), $c->remember('k', 60, $compute)]);
        $this->assertEqualsWithDelta(60, $c->getStore()->cache()->find('k')->ttl, 3);
        $this->assertSame(['v2', 'v2'], [$c->rememberForever('f', $compute), $c->sear('f', $compute)]);
        $this->assertSame(['v3', 'v4'], [$c->remember('ttl', fn ($v) => $v === 'v3' ? 0 : 60, $compute), $c->remember('ttl', 60, $compute)]);
        // Null is a miss, wherever it comes from.
        $nulls = 0;
        $null = function () use (&$nulls) {
            ++$nulls;
            return null;
        };
        $this->assertSame([null, null, 2], [$c->remember('null', 60, $null), $c->remember('null', 60, $null), $nulls]);
        $c->put('stored null', null, 60);
        $this->assertSame(['new', 'new'], [$c->remember('stored null', 60, fn () => 'new'), $c->get('stored null')]);
        // What is removed while it is computed is not stored.
        $this->assertSame('old', $c->remember('gone', 60, fn () => [$c->forget('gone'), $c->delete('gone'), 'old'][2]));
        $this->assertFalse($c->has('gone') && !$c->forget('gone'));
        $c->put('gone', 1, 60);
        $this->expectExceptionMessage('mine');
        $c->remember('throws', 60, fn () => throw new DomainException('mine'));
    }

    public function testFlexible(): void
    {
        $c = $this->cache;
        $this->assertSame('first', $c->flexible('k', [1, 60], fn () => 'first'));
        $this->assertSame('first', $c->flexible('k', [1, 60], fn () => 'second'));
        usleep(1_300_000);
        $inner = null;
        $this->assertSame('second', $c->flexible('k', [60, 120], function () use ($c, &$inner) {
            $inner = $c->flexible('k', [60, 120], fn () => 'third');
            return 'second';
        }));
        $this->assertSame(['first', 'second'], [$inner, $c->get('k')]);
    }

    public function testEvents(): void
    {
        $seen = [];
        $this->app->make('events')->listen('*', function (string $name, array $data) use (&$seen): void {
            $seen[] = $name;
        });
        $this->cache->remember('k', 60, fn () => 1);
        $this->cache->remember('k', 60, fn () => 1);
        $this->assertSame([CacheMissed::class, KeyWritten::class, CacheHit::class], array_values(array_intersect($seen, [CacheMissed::class, KeyWritten::class, CacheHit::class])));
    }

    public function testLocks(): void
    {
        $c = $this->cache;
        $lock = $c->lock('l', 60);
        $this->assertSame([true, false], [$lock->get(), $c->lock('l', 60)->get()]);
        $this->assertTrue($lock->isOwnedByCurrentProcess() && !$c->lock('l')->isOwnedByCurrentProcess());
        $this->assertSame([false, true, false], [$c->lock('l')->release(), $c->restoreLock('l', $lock->owner())->release(), $lock->release()]);
        $this->assertSame('done', $c->lock('l', 60)->get(fn () => 'done'));
        $this->assertSame('done', $c->lock('l', 60)->block(1, fn () => 'done'));
        $forever = $c->lock('forever');
        $this->assertTrue($forever->get());
        try {
            $c->lock('forever', 5)->block(0);
            $this->fail('no timeout');
        } catch (LockTimeoutException) {
            $c->lock('forever')->forceRelease();
        }
        $this->assertTrue($c->lock('forever', 60)->get());
        $this->assertTrue($c->getStore()->flushLocks());
        $this->assertTrue($c->lock('forever', 60)->get());
        $short = $c->lock('short', 1);
        $this->assertTrue($short->get() && $short->refresh(60));
        usleep(1_100_000);
        $this->assertTrue($short->isOwnedByCurrentProcess() && $short->release() && !$short->refresh());
        // Clearing the cache leaves locks alone.
        $this->assertTrue($c->lock('kept', 60)->get() && $c->flush() && !$c->lock('kept', 60)->get());
    }

    public function testALocalStoreHasNoLocksUnlessItIsMeant(): void
    {
        $store = new Coppice\Laravel\CoppiceStore(Coppice\Cache::open('local:'));
        $this->expectException(LogicException::class);
        $store->lock('l');
    }

    public function testRateLimiter(): void
    {
        $limiter = new RateLimiter($this->cache);
        $hits = array_map(fn () => $limiter->attempt('login', 3, fn () => 'yes', 60), range(1, 5));
        $this->assertSame(['yes', 'yes', 'yes', false, false], $hits);
        $this->assertSame(0, $limiter->remaining('login', 3));
        $this->assertGreaterThan(50, $limiter->availableIn('login'));
        $limiter->clear('login');
        $this->assertSame(3, $limiter->remaining('login', 3));
    }

    public function testSessions(): void
    {
        $handler = new Illuminate\Session\CacheBasedSessionHandler($this->cache, 10);
        $this->assertTrue($handler->write('id', 'payload'));
        $this->assertSame('payload', $handler->read('id'));
        $this->assertTrue($handler->destroy('id'));
        $this->assertSame('', $handler->read('id'));
    }

    public function testCommands(): void
    {
        $artisan = new Illuminate\Console\Application($this->app, $this->app->make('events'), '12');
        $artisan->resolveCommands([Coppice\Laravel\PruneCommand::class, Coppice\Laravel\StatsCommand::class, Coppice\Laravel\ForgetPrefixCommand::class]);
        $this->cache->putMany(['x.1' => 1, 'x.2' => 2, 'y' => 3], 60);
        $this->assertSame(0, $artisan->call('coppice:forget-prefix', ['prefix' => 'x.']));
        $this->assertStringContainsString('Removed 2 entries.', $artisan->output());
        $this->assertSame([0, 0], [$artisan->call('coppice:prune'), $artisan->call('coppice:stats')]);
        $this->assertStringContainsString('entries', $artisan->output());
        $this->assertSame(1, $artisan->call('coppice:stats', ['--store' => 'array']));
    }

    public function testAnOwnerThatIsAway(): void
    {
        $this->app->make('config')->set('cache.stores.away', ['driver' => 'coppice', 'dsn' => 'unix:///nonexistent/coppice.sock']);
        $this->app->instance('log', $log = new class() extends Psr\Log\AbstractLogger {
            public array $lines = [];

            public function log($level, string|Stringable $message, array $context = []): void
            {
                $this->lines[] = $message;
            }
        });
        $c = $this->app->make('cache')->store('away');
        $this->assertSame(['d', false, false, false, false], [$c->get('k', 'd'), $c->put('k', 1, 60), $c->add('k', 1, 60), $c->forget('k'), $c->flush()]);
        $this->assertSame([['k' => null], 'computed', 'f'], [$c->many(['k']), $c->remember('k', 60, fn () => 'computed'), $c->flexible('k', [1, 2], fn () => 'f')]);
        $this->assertCount(1, $log->lines);
        $this->assertStringContainsString('/nonexistent/coppice.sock', $log->lines[0]);
        $loud = [fn () => $c->increment('n'), fn () => $c->lock('l')->get(), fn () => (new RateLimiter($c))->hit('x'), fn () => $c->getStore()->strict()->get('k'),
            fn () => $c->remember('k', 60, fn () => throw new Coppice\ConnectionException('mine'))];
        foreach ($loud as $i => $call) {
            try {
                $call();
                $this->fail("$i was silent");
            } catch (Coppice\ConnectionException) {
                $this->addToAssertionCount(1);
            }
        }
    }

    public function testBadConfiguration(): void
    {
        $this->app->make('config')->set('cache.stores.bad', ['driver' => 'coppice', 'dsn' => 5]);
        $this->expectExceptionMessage('needs a string "dsn"');
        $this->app->make('cache')->store('bad');
    }
}
