--TEST--
Cache::remember(): beta and stale
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$n = 0;
$next = function () use (&$n) { usleep(1000); return ++$n; };
same([1, 1], [$c->remember('k', 60, $next), $c->remember('k', 60, $next, beta: 0)], 'beta 0');
same([2, 3, 3], [$c->remember('k', 60, $next, beta: INF), $c->remember('k', 60, $next, beta: INF), $c->get('k')], 'INF computes each time');
same([4, 4], [$c->remember('k', null, $next, beta: INF), $c->get('k')], 'also what lasts for ever');
same(4, $c->remember('k', null, $next, beta: 1e300), 'else that is never due');

// Computing took a millisecond or more: a beta of a million reaches far beyond the TTL of a minute.
$c->delete('k');
$n = 0;
$c->remember('k', 60, $next);
$c->remember('k', 60, $next, beta: 1e9);
same(2, $n, 'chosen early where computing is slow and beta large');
same(2, $c->get('k'), 'and stored');
for ($i = 0; $i < 1000; $i++) {
    $c->remember('k', 60, $next);
}
same(2, $n, 'with a beta of 1 not a minute before');
$c->set('plain', 5, 60);
same(5, $c->remember('plain', 60, fn () => 6, beta: 1e300), 'what was never computed is not due early');

$c->remember('s', 0.05, fn () => 'old', stale: 60);
usleep(100_000);
same([null, false, null, [], 0], [$c->get('s'), $c->has('s'), $c->find('s'), $c->keys('s'), $c->countPrefix('s')], 'behind its TTL it is a miss for everything else');
$inside = null;
same('new', $c->remember('s', 60, function () use ($c, &$inside) {
    $inside = $c->remember('s', 60, fn () => 'never', stale: 60);
    return 'new';
}, stale: 60), 'one computes');
same('old', $inside, 'the others have the old value meanwhile');
same(['new', 'new'], [$c->get('s'), $c->remember('s', 60, fn () => 'never')], 'then the new one');

$c->remember('s2', 0.02, fn () => 'old', stale: 0.02);
usleep(100_000);
same('new', $c->remember('s2', 60, fn () => 'new', stale: 0.02), 'behind the stale time it is gone');
$c->remember('s3', 0.02, fn () => 'old', stale: 60);
usleep(60_000);
same(true, $c->add('s3', 'added'), 'add() takes a stale entry for none');
same('added', $c->remember('s3', 60, fn () => 'never', stale: 60), 'and what it stored is live');
foreach (['delete' => fn () => $c->delete('s4'), 'deletePrefix' => fn () => $c->deletePrefix('s4'), 'invalidateTags' => fn () => $c->invalidateTags('t4')] as $how => $invalidate) {
    $c->remember('s4', 0.02, function ($p) { $p->tags('t4'); return 'old'; }, stale: 60);
    usleep(60_000);
    $invalidate();
    same('new', $c->remember('s4', 60, fn () => 'new', stale: 60), "$how removes a stale entry too");
    $c->delete('s4');
}
throws(Exception::class, 'no', function () use ($c) {
    $c->remember('s5', 0.02, fn () => 'old', stale: 60);
    usleep(60_000);
    $c->remember('s5', 60, fn () => throw new Exception('no'), stale: 60);
});
same('again', $c->remember('s5', 60, fn () => 'again', stale: 60), 'after an exception the next one computes');
echo 'done';
?>
--EXPECT--
done
