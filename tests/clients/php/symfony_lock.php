<?php
// Symfony Lock's RedisStore on the daemon. See symfony_setup.php for its arguments.
declare(strict_types=1);
require __DIR__ . '/symfony_setup.php';

use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

function factory(): LockFactory
{
    return new LockFactory(new RedisStore(connection()));
}

/** Asks the server over a connection of this process's own. */
function mine(string ...$words): mixed
{
    $redis = new Redis();
    $redis->connect(Check::socket());
    $redis->select(3);
    return $redis->rawCommand(...$words);
}

test('one holder', function (): void {
    $lock = factory()->createLock('pdf-creation', 600);
    $other = factory()->createLock('pdf-creation', 600);
    Check::same([true, false, true], [$lock->acquire(), $other->acquire(), $lock->isAcquired()]);
    Check::true($lock->getRemainingLifetime() > 590, 'lifetime');
    Check::same(false, $other->isAcquired());
    $lock->release();
    Check::same([false, true], [$lock->isAcquired(), $other->acquire()]);
    $other->release();
    Check::same(0, raw('EXISTS', 'pdf-creation'));
    $won = Check::together(16, fn () => factory()->createLock('raced', 600, false)->acquire());
    Check::same(1, count(array_filter($won, fn ($won) => $won === true)));
});
test('refreshing', function (): void {
    $lock = factory()->createLock('import', 5);
    $lock->acquire();
    $lock->refresh(600);
    Check::true(raw('PTTL', 'import') > 590000, 'on the server');
    Check::true($lock->getRemainingLifetime() > 590, 'and here');
    raw('DEL', 'import');
    Check::throws(LockConflictedException::class, '', fn () => $lock->refresh(600));
});
test('a lock that ran out', function (): void {
    $lock = factory()->createLock('import', 0.05);
    Check::true($lock->acquire(), 'free');
    $other = factory()->createLock('import', 600);
    Check::until(fn () => $other->acquire());
    $lock->release();
    Check::same([true, false], [$other->isAcquired(), $lock->acquire()]);
    Check::true($other->getRemainingLifetime() > 590, 'a whole new time to live');
    $other->release();
    Check::same([true, true], [$lock->acquire(), $lock->isAcquired()]);
});
test('again with the same object after its time', function (): void {
    $lock = factory()->createLock('import', 0.1);
    $lock->acquire();
    $lock->release();
    Check::until(fn () => raw('EXISTS', 'import') === 0);
    usleep(110000);
    Check::same(true, $lock->acquire());
});
test('waiting', function (): void {
    $done = Check::together(5, function (): bool {
        $lock = factory()->createLock('queue', 600);
        $lock->acquire(true);
        $n = (int) mine('GET', 'served');
        usleep(1000);
        mine('SET', 'served', (string) ($n + 1));
        $lock->release();
        return true;
    });
    Check::same(array_fill(0, 5, true), $done);
    Check::same('5', raw('GET', 'served'));
});
test('readers and writers', function (): void {
    $a = factory()->createLock('doc', 600);
    $b = factory()->createLock('doc', 600);
    $w = factory()->createLock('doc', 600);
    Check::same([true, true, false], [$a->acquireRead(), $b->acquireRead(), $w->acquire()]);
    $a->release();
    Check::same([false, true], [$w->acquire(), $b->isAcquired()]);
    Check::same(true, $b->acquire(), 'the only reader may write');
    Check::same(false, $a->acquireRead());
    $b->release();
    Check::same([true, false], [$w->acquire(), $a->acquireRead()]);
    Check::same([true, true], [$w->acquireRead(), $a->acquireRead()]);
});
test('a key that moves to another process', function (): void {
    $key = new Key('moved');
    factory()->createLockFromKey($key, 600, false)->acquire();
    $there = Check::together(1, fn () => factory()->createLockFromKey(unserialize(serialize($key)), 600, false)->isAcquired());
    Check::same([true], $there);
});
Check::end();
