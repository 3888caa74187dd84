--TEST--
Reported faults: tags
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
// laravel/framework#48100: a tag that is flushed and filled again and again takes no more and more.
for ($i = 0; $i < 20_000; $i++) {
    $c->invalidateTags('test');
    $c->set("uniq $i", $i, null, ['test']);
    if ($i === 2000) {
        $before = [memory_get_usage(), $c->stats()['used_memory']];
    }
}
same([1, 1, 1], [$c->countPrefix('uniq '), $c->stats()['tags'], $c->stats()['tag_memberships']], 'one entry, one tag');
same(true, memory_get_usage() - $before[0] < 100_000, 'memory of the script');
same(true, $c->stats()['used_memory'] <= $before[1] + (256 << 10), 'memory of the store');
$c->clear();
// laravel/framework#25482: half a million keys under one tag, here a tenth, within a small limit.
$c->clear();
$limit = memory_get_usage();
memory_reset_peak_usage();
for ($i = 0; $i < 50; $i++) {
    $some = [];
    for ($j = 0; $j < 1000; $j++) {
        $some["big.$i.$j"] = $j;
    }
    $c->setMultiple($some, 3600, ['big']);
}
unset($some);
same(50_000, $c->invalidateTags('big'), 'all of them');
same(true, memory_get_peak_usage() - $limit < 4 << 20, 'the client\'s memory does not grow with them');
// mage-os/mageos-magento2#283: entries that are replaced, expire and are deleted leave no bookkeeping behind.
for ($round = 0; $round < 30; $round++) {
    for ($i = 0; $i < 200; $i++) {
        $c->set("churn $i", $round, $i % 3 === 0 ? 0.001 : 60, ["round $round", "key $i", 'all']);
    }
}
usleep(60_000);
$c->prune();
$stats = $c->stats();
same([count($c->keys('churn ')) * 3, true], [$stats['tag_memberships'], $stats['tags'] <= 202], 'memberships are those of live entries');
$c->invalidateTags('all');
same([0, 0, 0], [$c->countPrefix(), $c->stats()['tags'], $c->stats()['tag_memberships']], 'and none in the end');
echo 'done';
?>
--EXPECT--
done
