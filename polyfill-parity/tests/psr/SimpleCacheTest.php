<?php

declare(strict_types=1);

final class SimpleCacheTest extends Cache\IntegrationTests\SimpleCacheTest
{
    public function createSimpleCache()
    {
        return new Coppice\Psr\SimpleCache(test_cache());
    }

    public function testExceptionsAreOfThePsr(): void
    {
        $cache = new Coppice\Psr\SimpleCache(Coppice\Cache::open('unix:///nonexistent/coppice.sock', ['on_error' => 'throw']));
        foreach ([fn () => $cache->get('k'), fn () => $cache->set('k', 1), fn () => $cache->getMultiple(['k']), fn () => $cache->clear(), fn () => $this->cache->set('k', fn () => 1)] as $call) {
            try {
                $call();
                $this->fail('nothing thrown');
            } catch (Psr\SimpleCache\CacheException $e) {
                $this->assertInstanceOf(Coppice\CacheException::class, $e->getPrevious());
            }
        }
        $this->expectException(Psr\SimpleCache\InvalidArgumentException::class);
        $this->cache->get(str_repeat('k', 5000));
    }

    public function testAnOwnerThatIsAwayIsAMiss(): void
    {
        $cache = new Coppice\Psr\SimpleCache(Coppice\Cache::open('unix:///nonexistent/coppice.sock'));
        $this->assertSame(['d', false, false, ['k' => 'd']], @[$cache->get('k', 'd'), $cache->set('k', 1), $cache->has('k'), $cache->getMultiple(['k'], 'd')]);
    }

    public function testIntegerKeysStayStrings(): void
    {
        $this->cache->setMultiple(['5' => 'five', 'k' => 'v']);
        foreach ($this->cache->getMultiple(['5', 'k']) as $key => $value) {
            $this->assertIsString($key);
        }
    }
}
