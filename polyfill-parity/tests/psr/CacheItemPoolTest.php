<?php

declare(strict_types=1);

final class CacheItemPoolTest extends Cache\IntegrationTests\CachePoolTest
{
    public function createCachePool()
    {
        return new Coppice\Psr\CacheItemPool(test_cache());
    }

    public function testExceptionsAreOfThePsr(): void
    {
        $pool = new Coppice\Psr\CacheItemPool(Coppice\Cache::open('unix:///nonexistent/coppice.sock', ['on_error' => 'throw']));
        foreach ([fn () => $pool->getItem('k'), fn () => $pool->clear(), fn () => $pool->deleteItem('k'), fn () => $this->cache->save($this->cache->getItem('k')->set(fn () => 1))] as $call) {
            try {
                $call();
                $this->fail('nothing thrown');
            } catch (Psr\Cache\CacheException $e) {
                $this->assertInstanceOf(Coppice\CacheException::class, $e->getPrevious());
            }
        }
        $this->expectException(Psr\Cache\InvalidArgumentException::class);
        $this->cache->getItem('');
    }

    public function testDeferredItemsOfSeveralExpiries(): void
    {
        foreach ([null, 100, 200, 100] as $i => $ttl) {
            $this->cache->saveDeferred($this->cache->getItem("k$i")->set($i)->expiresAfter($ttl));
        }
        $this->cache->saveDeferred($this->cache->getItem('7')->set('seven'));
        $this->assertTrue($this->cache->commit());
        foreach ($this->cache->getItems(['k0', 'k1', 'k2', 'k3', '7', 'none']) as $key => $item) {
            $this->assertIsString($key);
            $this->assertSame($key !== 'none', $item->isHit());
        }
        $this->assertSame(null, $this->cache->cache()->find('k0')->ttl);
        $this->assertGreaterThan(150, $this->cache->cache()->find('k2')->ttl);
        $this->assertSame('seven', $this->cache->getItem('7')->get());
    }

    public function testForeignItemsAreRefused(): void
    {
        $item = $this->createStub(Psr\Cache\CacheItemInterface::class);
        $this->assertSame([false, false], [$this->cache->save($item), $this->cache->saveDeferred($item)]);
    }
}
