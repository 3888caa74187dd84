--TEST--
Cache::invalidateTags(), and the tags of set, setMultiple, add and replace
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 1, tags: ['red', 'all']);
$c->setMultiple(['b' => 2, 'c' => 3], tags: ['all']);
$c->add('d', 4, null, ['blue', 'all']);
$c->set('e', 5);
$c->replace('e', 6, 60, ['blue']);
same(['all', 'red'], $c->find('a')->tags, 'find shows them, in order');
same([['all'], ['all'], ['all', 'blue'], ['blue'], null], [$c->find('b')->tags, $c->find('c')->tags, $c->find('d')->tags, $c->find('e')->tags, $c->find('f')?->tags], 'of every way to store');
$stats = $c->stats();
same([3, 7], [$stats['tags'], $stats['tag_memberships']], 'stats');
same(0, $c->invalidateTags(), 'none');
same(0, $c->invalidateTags('nobody'), 'one without members');
same(1, $c->invalidateTags('red'), 'its members go');
same([false, true], [$c->has('a'), $c->has('b')], 'and no others');
same(4, $c->invalidateTags('all', 'blue', 'blue'), 'several at once; each entry counts once');
same(0, $c->countPrefix(), 'nothing is left');
same([0, 0], [$c->stats()['tags'], $c->stats()['tag_memberships']], 'nor a trace of a tag');

$c->set('k', 1, tags: ['t']);
$c->set('k', 2);
same([[], 0, 2], [$c->find('k')->tags, $c->invalidateTags('t'), $c->get('k')], 'a set without tags drops the old ones');
$c->set('n', 1, tags: ['t']);
$c->increment('n');
$c->touch('n', 60);
same([['t'], 1], [$c->find('n')->tags, $c->invalidateTags('t')], 'increment and touch keep them');
$c->set('x', 1, 0.01, ['t']);
$c->set('y', 1, null, ['t']);
usleep(60_000);
same(1, $c->invalidateTags('t'), 'only live entries count');
$c->set('p.1', 1, tags: ['t']);
$c->deletePrefix('p.');
same([0, 0], [$c->invalidateTags('t'), $c->stats()['tags']], 'a prefix delete takes them along');
$c->set('q', 1, tags: ['t']);
$c->clear();
same(0, $c->invalidateTags('t'), 'clear too');
for ($i = 0; $i < 500 && $c->stats()['tag_memberships'] > 0; $i++) {
    usleep(10_000);
}
same(0, $c->stats()['tag_memberships'], 'by and by');

$view = $c->prefix('shop.');
$view->set('k', 1, tags: ['t']);
same([['t'], 1], [$c->find('shop.k')->tags, $c->invalidateTags('t')], 'tags belong to the database, not to a prefix');
$odd = ["\0", "a\r\nb", str_repeat('x', 1024), '5', 'ä'];
$c->set('k', 1, tags: $odd);
sort($odd, SORT_STRING);
same($odd, $c->find('k')->tags, 'any bytes');
same(1, $c->invalidateTags("a\r\nb"), 'any bytes');
$many = array_map(fn ($i) => "tag $i", range(1, 4096));
same(true, $c->set('k', 1, null, [...$many, ...$many]), '4,096 of them; doubles count once');
same([4096, 1], [count($c->find('k')->tags), $c->invalidateTags('tag 4096')], 'and each leads to the key');
same(false, $c->add('k2', 1, 0, ['t']) && $c->has('k2'), 'a TTL of 0 stores nothing');
same(0, $c->stats()['tags'], 'a TTL of 0 stores nothing');
echo 'done';
?>
--EXPECT--
done
