<?php

declare(strict_types=1);

use Coppice\Symfony\CoppiceStore;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Tests\Store\AbstractStoreTestCase;
use Symfony\Component\Lock\Tests\Store\BlockingStoreTestTrait;
use Symfony\Component\Lock\Tests\Store\ExpiringStoreTestTrait;

final class CoppiceStoreTest extends AbstractStoreTestCase
{
    use BlockingStoreTestTrait {
        testBlockingLocks as blockingLocks;
    }
    use ExpiringStoreTestTrait;

    protected function getClockDelay(): int
    {
        return 250_000;
    }

    public function getStore(): PersistingStoreInterface
    {
        return new CoppiceStore(coppice(), 300, true);
    }

    /** @requires extension pcntl */
    public function testBlockingLocks()
    {
        if (!coppice()->isShared()) {
            $this->markTestSkipped('a local cache has no other process to wait for');
        }
        $this->blockingLocks();
    }

    public function testALocalCacheIsRefused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        new CoppiceStore(Coppice\Cache::open('local:'));
    }

    public function testAnOwnerThatIsAway(): void
    {
        $store = new CoppiceStore(Coppice\Cache::open('unix:///nonexistent/coppice.sock'));
        $this->expectException(LockAcquiringException::class);
        $store->save(new Key('k'));
    }

    public function testThroughTheFactory(): void
    {
        $factory = new LockFactory($this->getStore());
        $lock = $factory->createLock('resource', 30);
        $other = $factory->createLock('resource', 30);
        $this->assertSame([true, false, true], [$lock->acquire(), $other->acquire(), $lock->isAcquired()]);
        $lock->refresh();
        $lock->release();
        $this->assertTrue($other->acquire());
        $other->release();
    }

    public function testAKeyGoesToAnotherProcess(): void
    {
        $store = $this->getStore();
        $key = new Key(str_repeat('long name ', 1000));
        $store->save($key);
        $this->assertTrue($store->exists(unserialize(serialize($key))));
        $store->delete(unserialize(serialize($key)));
        $this->assertFalse($store->exists($key));
    }
}
