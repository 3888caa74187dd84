--TEST--
TTLs: null, seconds, fractions, intervals, extremes
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$ttl = function ($given) use ($c) {
    $c->set('k', 1, $given);
    return $c->find('k')?->ttl;
};
same(null, $ttl(null), 'null is for ever');
foreach ([10, 2_678_400, 10.5] as $seconds) {
    $left = $ttl($seconds);
    same(true, $left <= $seconds && $left > $seconds - 5, "$seconds");
}
same(true, ($left = $ttl(new DateInterval('PT90S'))) <= 90 && $left > 80, 'PT90S');
same(true, ($left = $ttl(new DateInterval('P80Y'))) > 79 * 365 * 86400, 'P80Y');
same(true, ($left = $ttl(DateInterval::createFromDateString('1500 milliseconds'))) <= 1.5 && $left > 0.2, 'fractions of an interval');
same(null, $ttl(INF), 'INF');
foreach ([PHP_INT_MAX, 1e30, 9e15] as $large) {
    same(1, $c->set('k', 1, $large) ? $c->get('k') : 0, 'a huge TTL does not wrap');
}
foreach ([0, -1, PHP_INT_MIN, -0.5, -INF, new DateInterval('PT0S')] as $over) {
    $c->set('k', 'h');
    same(true, $c->set('k', 'new', $over), 'zero or less is no error');
    same(false, $c->has('k'), 'and removes');
    same('d', $c->get('k', 'd'), 'and removes');
}
$past = new DateInterval('PT10S');
$past->invert = 1;
$c->set('k', 1);
$c->set('k', 1, $past);
same(false, $c->has('k'), 'an interval into the past');
$c->set('short', 1, 0.5);
$c->set('tiny', 1, 0.000001);
$c->set('long', 1, 60);
same(true, $c->find('short')?->ttl <= 0.5, 'sub-second');
usleep(600_000);
same('gone', $c->get('short', 'gone'), 'sub-second, over');
same(false, $c->has('tiny'), 'below a millisecond');
same(['long'], $c->keys(), 'expired entries are not listed');
same(1, $c->countPrefix(), 'nor counted');
echo 'done';
?>
--EXPECT--
done
