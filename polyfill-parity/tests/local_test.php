<?php

declare(strict_types=1);

/* The local store: limits of memory under every policy, deadlines, what it costs. */

namespace Coppice\Tests;

use Coppice\Cache;

require __DIR__ . '/setup.php';

ini_set('memory_limit', '256M');
// Of each kind of failure one warning.
$small = Cache::open('local:small?max_memory=2M&max_value=1K');
$texts = warnings(static function () use ($small): void {
    $small->set('k', str_repeat('x', 2000));
    $small->set('k', str_repeat('x', 2000));
});
same(1, count($texts), 'one warning of a kind');
same(true, str_starts_with($texts[0] ?? '', 'Coppice\Cache::set(): the value is larger than the limit for values (failures of this kind'), $texts[0] ?? 'none');

foreach (['allkeys-lru', 'allkeys-random', 'volatile-lru', 'volatile-ttl'] as $policy) {
    $c = Cache::open("local:$policy?max_memory=2M&policy=$policy");
    $c->set('first', 'stays');
    for ($i = 0; $i < 2000; ++$i) {
        same(true, $c->set("k.$i", str_repeat('x', 10_000), 1000 + $i), "$policy: set $i");
        $c->get('first');
    }
    $stats = $c->stats();
    same(true, $stats['used_memory'] <= 2 << 20, "$policy: within its limit: $stats[used_memory]");
    same(true, $stats['used_memory'] > (2 << 20) - 25_000, "$policy: which is used: $stats[used_memory]");
    same(true, $stats['evicted'] > 1500, "$policy: evicts no more than is needed: $stats[evicted]");
    same($stats['entries'], count($c->keys()), "$policy: the order knows it");
    same(true, $c->has('k.1999'), "$policy: what was stored last is there");
    $policy === 'allkeys-random' || same('stays', $c->get('first'), "$policy: what is read, or has no TTL, stays");
    same(false, @$c->set('big', str_repeat('x', 3 << 20)), "$policy: too large for the store");
}
$c = Cache::open('local:full?max_memory=2M&policy=noeviction&max_value=1M');
for ($i = 0; @$c->set("k.$i", str_repeat('x', 10_000)); ++$i);
same(true, $i > 180 && $i < 210, "noeviction: full at some time: $i");
same(false, @$c->set('k.0', str_repeat('y', 50_000)), 'noeviction: refused');
same(str_repeat('x', 10_000), $c->get('k.0'), 'the old value stays');
same(true, $c->set('k.0', str_repeat('y', 9_000)), 'a smaller one finds room');
same(false, @$c->set('k.0', str_repeat('y', (1 << 20) + 1)), 'over max_value');
same(true, $c->delete('k.1') && $c->set('new', str_repeat('x', 10_000)), 'room again');

// The store's account of memory is near what PHP takes.
$before = memory_get_usage();
$c = Cache::open('local:account?max_memory=64M');
for ($i = 0; $i < 20_000; ++$i) {
    $c->set("some.key.of.$i", "value $i " . str_repeat('x', 100), 1000);
}
$taken = memory_get_usage() - $before;
$told = $c->stats()['used_memory'];
same(true, $told > 0.6 * $taken && $told < 1.6 * $taken, "told $told, taken $taken");
$c->clear();
same(0, $c->stats()['used_memory'], 'and after clear');
unset($i);

// Memory stays flat whatever is written again and again.
$round = static function () use ($c): int {
    for ($i = 0; $i < 5000; ++$i) {
        $c->set('k' . $i % 10, ['a' => [$i, 2, 3], 'b' => "text$i"], 100, ['t' . $i % 3]);
        $c->get('k' . $i % 10);
        $i % 100 === 0 && $c->countPrefix('k');
    }
    return memory_get_usage();
};
$round();
$round();
$middle = $round();
same(true, $round() <= $middle + 20_000, 'memory_get_usage() is flat');
$c->clear();
same([0, 0, 0], [$c->stats()['tags'], $c->stats()['tag_memberships'], $c->stats()['used_memory']], 'nothing is left of tags');

// Expired entries give their memory back without being read.
$c = Cache::open('local:expiry');
for ($i = 0; $i < 1000; ++$i) {
    $c->set("e.$i", str_repeat('x', 500), 0.05);
}
usleep(100_000);
same([0, []], [$c->countPrefix('e.'), $c->keys()], 'over');
for ($i = 0; $i < 800; ++$i) {
    $c->set('other', $i);
}
same(1, $c->stats()['entries'], 'swept along with writes');

throws(\Coppice\RefusedException::class, 'larger than the limit', static fn () => Cache::open('local:small', ['on_error' => 'throw'])->set('k', str_repeat('x', 2000)));
throws(\Coppice\InvalidArgumentException::class, 'max_value=1024, not 2048', static fn () => Cache::open('local:small?max_value=2K'));
throws(\Coppice\InvalidArgumentException::class, 'policy=allkeys-lru, not noeviction', static fn () => Cache::open('local:small?policy=noeviction'));

// Costs: one prefix among many keys.
$c = Cache::open('local:many?max_memory=256M');
for ($i = 0; $i < 100_000; ++$i) {
    $c->set("key.$i", $i);
}
$c->countPrefix('key.');
$quickest = INF;
for ($i = 0; $i < 10; ++$i) {
    $c->setMultiple(['group.a' => 1, 'group.b' => 2], null, ['tag']);
    $began = hrtime(true);
    $removed = $i % 2 ? $c->deletePrefix('group.') : $c->invalidateTags('tag');
    $quickest = min($quickest, hrtime(true) - $began);
    same(2, $removed, 'removed');
}
$began = hrtime(true);
$c->keys();
same(true, $quickest * 50 < hrtime(true) - $began, 'a prefix and a tag cost what they hold');

echo Count::$passed, ' passed, ', Count::$failed, " failed\n";
