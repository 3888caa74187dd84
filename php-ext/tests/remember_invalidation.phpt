--TEST--
Cache::remember(): what invalidates the key while it is computed wins
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$source = 1;
$ways = [
    'delete' => fn () => $c->delete('u.k'),
    'deleteMultiple' => fn () => $c->deleteMultiple(['x', 'u.k']),
    'pull' => fn () => $c->pull('u.k'),
    'deletePrefix' => fn () => $c->deletePrefix('u.'),
    'invalidateTags' => fn () => $c->invalidateTags('other', 'tag'),
    'clear' => fn () => $c->clear(),
    'clear of a prefix' => fn () => $c->prefix('u')->clear(),
];
foreach ($ways as $name => $way) {
    $old = $c->remember('u.k', 60, function ($p) use (&$source, $way) {
        $p->tags('tag');
        $read = $source;
        $source++;
        $way();
        return $read;
    });
    same($source - 1, $old, "$name: the value goes to its caller");
    same(false, $c->has('u.k'), "$name: but is not stored");
    same([$source, $source], [$c->remember('u.k', 60, function ($p) use (&$source) { $p->tags('tag'); return $source; }), $c->get('u.k')], "$name: the next one is");
    $c->delete('u.k');
}
same([1, 2], [$c->remember('u.k', 60, function () use ($c) { $c->set('u.k', 2); return 1; }), $c->get('u.k')], 'a set meanwhile stays');
$c->delete('u.k');
same([1, 5], [$c->remember('u.k', 60, function () use ($c) { $c->increment('u.k', 5); return 1; }), $c->get('u.k')], 'an increment too');
$c->delete('u.k');
same([1, 1], [$c->remember('u.k', 60, function ($p) use ($c) {
    $p->tags('mine');
    $c->delete('u.other');
    $c->deletePrefix('v.');
    $c->invalidateTags('another');
    $c->set('u.other', 1);
    return 1;
}), $c->get('u.k')], 'what does not concern it, does not');
// Over the old value of an early refresh.
same([7, null], [$c->remember('u.k', 60, function () use ($c) { $c->delete('u.k'); return 7; }, beta: INF), $c->get('u.k')], 'a refresh is revoked as well');
// Two hundred tags invalidated while leases are out, and more than are remembered.
$c->delete('u.k');
same([1, null], [$c->remember('u.k', 60, function ($p) use ($c) {
    $p->tags('late');
    $c->invalidateTags('late');
    $c->invalidateTags(...array_map(fn ($i) => "t$i", range(1, 200)));
    return 1;
}), $c->get('u.k')], 'however many came behind it');
same([1, null], [$c->remember('u.k', 60, function ($p) use ($c) {
    $p->tags('late');
    $c->invalidateTags('late');
    for ($i = 0; $i < 12; $i++) {
        $c->invalidateTags(...array_map(fn ($j) => "t$i.$j", range(1, 1000)));
    }
    return 1;
}), $c->get('u.k')], 'also beyond what is remembered');
same(1, $c->remember('u.k', 60, fn () => 1), 'and then it goes on');
same(1, $c->get('u.k'), 'and then it goes on');
echo 'done';
?>
--EXPECT--
done
