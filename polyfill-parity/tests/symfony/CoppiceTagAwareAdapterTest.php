<?php

declare(strict_types=1);

use Coppice\Symfony\CoppiceTagAwareAdapter;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Component\Cache\Tests\Adapter\TagAwareTestTrait;

require_once __DIR__ . '/CoppiceAdapterTest.php';

final class CoppiceTagAwareAdapterTest extends CoppiceAdapterTest
{
    use TagAwareTestTrait;

    protected $skippedTests = ['testPrune' => 'as in CoppiceAdapterTest', 'testTagItemExpiry' => 'takes 20 seconds, for which nothing is asked of a store'];

    public function createCachePool(int $defaultLifetime = 0, ?string $testMethod = null): CacheItemPoolInterface
    {
        return new CoppiceTagAwareAdapter(coppice(), 'test', $defaultLifetime);
    }

    public function testTagsOfComputedValues(): void
    {
        $pool = $this->createCachePool();
        $pool->get('k', fn ($item) => $item->tag(['one', 'two'])->expiresAfter(100)->getKey());
        $this->assertSame(['one' => 'one', 'two' => 'two'], $pool->getItem('k')->getMetadata()['tags']);
        $this->assertTrue($pool->invalidateTags(['two']));
        $this->assertFalse($pool->hasItem('k'));
        $pool->get('k', function ($item) use ($pool) {
            $pool->invalidateTags(['late']);
            $item->tag('late');
            return 1;
        });
        $this->assertFalse($pool->hasItem('k'), 'a tag that was invalidated meanwhile');
    }
}
