--TEST--
Cache::throttle()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$t = $c->throttle('k', 3, 60);
same([true, 2, 0.0], [$t->allowed, $t->remaining, $t->retryAfter], 'the first');
$c->throttle('k', 3, 60);
$t = $c->throttle('k', 3, 60);
same([true, 0, 0.0], [$t->allowed, $t->remaining, $t->retryAfter], 'the last');
$t = $c->throttle('k', 3, 60);
same([false, 0, true], [$t->allowed, $t->remaining, $t->retryAfter > 15 && $t->retryAfter <= 20], 'one too many');
$t = $c->throttle('k', 3, 60, 0);
same([true, 0], [$t->allowed, $t->remaining], 'a cost of 0 looks only');
same([true, 5, false], [$c->throttle('big', 10, 60, 5)->allowed, $c->throttle('big', 10, 60, 0)->remaining, $c->throttle('big', 10, 60, 6)->allowed], 'costs');
same(true, $c->throttle('big', 10, 60, 5)->allowed, 'what was refused took nothing');
$t = $c->throttle('never', 3, 60, 4);
same([false, INF, 3], [$t->allowed, $t->retryAfter, $t->remaining], 'a cost beyond the limit');
for ($i = 0; $i < 2; $i++) {
    same([true, true, false], [$c->throttle('fast', 2, 0.2)->allowed, $c->throttle('fast', 2, 0.2)->allowed, $c->throttle('fast', 2, 0.2)->allowed], 'by and by');
    usleep(250_000);
}
same(false, $c->has('fast'), 'it leaves nothing behind');
same(2, $c->prefix('p.')->throttle('k', 3, 60)->remaining, 'keys behind a prefix');
$c->delete('k');
same(2, $c->throttle('k', 3, 60)->remaining, 'delete begins anew');
$c->set('a', 1);
$c->set('z', 2);
same(['a' => 1, 'z' => 2], iterator_to_array($c->scan()), 'scan() passes over what is no value');
same(true, in_array('k', $c->keys(), true), 'keys() names it');
throws(Error::class, 'readonly', function () use ($t) { $t->remaining = 5; });
echo 'done';
?>
--EXPECT--
done
