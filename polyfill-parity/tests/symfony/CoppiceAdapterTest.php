<?php

declare(strict_types=1);

use Coppice\Symfony\CoppiceAdapter;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Component\Cache\Tests\Adapter\AdapterTestCase;

class CoppiceAdapterTest extends AdapterTestCase
{
    protected $skippedTests = ['testPrune' => 'takes two minutes; testPruneQuickly is the same in one second'];

    public function createCachePool(int $defaultLifetime = 0, ?string $testMethod = null): CacheItemPoolInterface
    {
        return new CoppiceAdapter(coppice(), 'test', $defaultLifetime);
    }

    public function testPruneQuickly(): void
    {
        $pool = $this->createCachePool();
        $pool->clear();
        $pool->save($pool->getItem('short')->set(1)->expiresAfter(1));
        $pool->save($pool->getItem('long')->set(1)->expiresAfter(100));
        usleep(1_200_000);
        $this->assertTrue($pool->prune());
        $this->assertSame(1, $pool->cache()->countPrefix('test:'));
    }

    public function testSubNamespaces(): void
    {
        $pool = $this->createCachePool();
        if (!method_exists($pool, 'withSubNamespace')) {
            $this->markTestSkipped('of Symfony 7.3 and later');
        }
        $sub = $pool->withSubNamespace('sub');
        $this->assertSame('a', $sub->get('k', fn () => 'a'));
        $this->assertSame('b', $pool->get('k', fn () => 'b'));
        $this->assertSame('a', $sub->getItem('k')->get());
        $this->assertTrue($sub->clear());
        $this->assertFalse($sub->hasItem('k'));
        $this->assertTrue($pool->hasItem('k'));
    }

    public function testAValueThatIsInvalidatedWhileItIsComputedIsNotStored(): void
    {
        $pool = $this->createCachePool();
        $pool->delete('k');
        $this->assertSame('old', $pool->get('k', function () use ($pool) {
            $pool->delete('k');
            return 'old';
        }));
        $this->assertFalse($pool->hasItem('k'));
    }

    public function testWhatCannotBeStoredIsLogged(): void
    {
        $pool = $this->createCachePool();
        $pool->setLogger($log = new class() extends \Psr\Log\AbstractLogger {
            public array $lines = [];

            public function log($level, $message, array $context = []): void
            {
                $this->lines[] = strtr((string) $message, ['{key}' => $context['key'] ?? '']);
            }
        });
        $this->assertIsCallable($pool->get('closure', fn () => fn () => 1));
        $this->assertFalse($pool->save($pool->getItem('other')->set(fn () => 1)));
        $this->assertCount(2, $log->lines);
        $this->assertStringStartsWith('The value computed for "closure" is not kept: it can\'t be stored, being of type Closure', $log->lines[0]);
    }

    public function testAnOwnerThatIsAwayIsAMissAndALogLine(): void
    {
        $pool = new CoppiceAdapter(CoppiceAdapter::createConnection('unix:///nonexistent/coppice.sock'));
        $pool->setLogger($log = new class() extends \Psr\Log\AbstractLogger {
            public int $lines = 0;

            public function log($level, $message, array $context = []): void
            {
                ++$this->lines;
            }
        });
        $this->assertFalse($pool->getItem('k')->isHit());
        $this->assertFalse($pool->save($pool->getItem('k')->set(1)));
        $this->assertSame('computed', $pool->get('k', fn () => 'computed'));
        $this->assertSame([false, false, false], [$pool->hasItem('k'), $pool->clear(), $pool->deleteItem('k')]);
        $this->assertGreaterThan(5, $log->lines);
    }

    public function testExceptionsOfTheCallbackAreItsOwn(): void
    {
        $pool = $this->createCachePool();
        foreach ([new DomainException('mine'), new Coppice\ConnectionException('mine')] as $e) {
            try {
                $pool->get('throws', fn () => throw $e);
                $this->fail('nothing thrown');
            } catch (RuntimeException|DomainException $caught) {
                $this->assertSame($e, $caught);
            }
        }
        $this->assertFalse($pool->hasItem('throws'));
    }
}
