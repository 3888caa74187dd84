<?php
// Symfony's RedisTagAwareAdapter on the daemon. See symfony_setup.php for its arguments.
declare(strict_types=1);
require __DIR__ . '/symfony_setup.php';

use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;
use Symfony\Contracts\Cache\ItemInterface;

// What is evicted must have a time to live: this adapter refuses other policies of eviction.
raw('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
$pool = new RedisTagAwareAdapter(connection(), 'tagged');

/** @param list<string> $tags */
function save(RedisTagAwareAdapter $pool, string $key, mixed $value, array $tags): void
{
    Check::true($pool->save($pool->getItem($key)->set($value)->tag($tags)->expiresAfter(600)), "save $key");
}

test('an item goes with any of its tags', function () use ($pool): void {
    save($pool, 'a', 1, ['red', 'round']);
    save($pool, 'b', 2, ['red']);
    save($pool, 'c', 3, ['round']);
    $pool->save($pool->getItem('untagged')->set(4));
    $tags = $pool->getItem('a')->getMetadata()[ItemInterface::METADATA_TAGS];
    sort($tags);
    Check::same(['red', 'round'], $tags);
    Check::true($pool->invalidateTags(['red']), 'invalidateTags');
    Check::same([false, false, 3, 4], [$pool->hasItem('a'), $pool->hasItem('b'), $pool->getItem('c')->get(), $pool->getItem('untagged')->get()]);
    $pool->invalidateTags(['round', 'nothing has this']);
    Check::same([false, true], [$pool->hasItem('c'), $pool->hasItem('untagged')]);
});
test('tags that an item lost no longer take it along', function () use ($pool): void {
    save($pool, 'a', 1, ['old', 'both']);
    save($pool, 'a', 2, ['both', 'new']);
    $pool->invalidateTags(['old']);
    Check::same(2, $pool->getItem('a')->get());
    $pool->invalidateTags(['new']);
    Check::same(false, $pool->hasItem('a'));
});
test('thousands under one tag', function () use ($pool): void {
    $count = Check::long() ? 50000 : 5000;
    for ($n = 0; $n < $count; ++$n) {
        $pool->saveDeferred($pool->getItem("k$n")->set($n)->tag(['many', 'tenth' . $n % 10])->expiresAfter(600));
        if ($n % 1000 === 999) {
            $pool->commit();
        }
    }
    $pool->invalidateTags(['tenth3']);
    Check::same([false, true], [$pool->hasItem('k3'), $pool->hasItem('k4')]);
    $pool->invalidateTags(['many']);
    for ($n = 0; $n < $count; $n += 97) {
        Check::same(false, $pool->hasItem("k$n"));
    }
});
test('deleting, clearing', function () use ($pool): void {
    save($pool, 'a', 1, ['t']);
    save($pool, 'b', 2, ['t']);
    Check::true($pool->deleteItem('a'), 'deleteItem');
    $pool->invalidateTags(['t']);
    Check::same(false, $pool->hasItem('b'));
    save($pool, 'c', 3, ['t']);
    $other = new RedisTagAwareAdapter(connection(), 'other');
    save($other, 'c', 'kept', ['t']);
    $pool->invalidateTags(['t']);
    Check::same([false, 'kept'], [$pool->hasItem('c'), $other->getItem('c')->get()]);
    save($pool, 'd', 4, ['t']);
    $pool->clear();
    Check::same([false, 'kept'], [$pool->hasItem('d'), $other->getItem('c')->get()]);
});
test('values are computed once and tagged', function () use ($pool): void {
    $make = function (ItemInterface $item): string {
        $item->tag(['page', 'post-7']);
        return 'made ' . microtime(true);
    };
    $first = $pool->get('page', $make, 0);
    Check::same($first, $pool->get('page', $make, 0));
    $pool->invalidateTags(['post-7']);
    Check::true($first !== $pool->get('page', $make, 0), 'made again');
});
test('processes that save and invalidate together', function (): void {
    $wrong = Check::together(4, function (int $child): int {
        $pool = new RedisTagAwareAdapter(connection(), 'tagged');
        for ($n = $wrong = 0; $n < 50; ++$n) {
            if ($child === 0) {
                $pool->invalidateTags(['shared']);
                continue;
            }
            save($pool, "k$child", [$child, $n], ['shared', "own$child"]);
            $item = $pool->getItem("k$child");
            $wrong += !$item->isHit() || $item->get() === [$child, $n] ? 0 : 1;
        }
        return $wrong;
    });
    Check::same([0, 0, 0, 0], $wrong);
});
Check::end();
