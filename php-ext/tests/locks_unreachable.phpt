--TEST--
No owner: remember() computes without caching; locks, tags and limits
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
use Coppice\Cache;
$gone = 'unix:///nonexistent/coppice.sock';
$c = Cache::open($gone);
$texts = warnings(function () use ($c) {
    $calls = 0;
    for ($i = 0; $i < 3; $i++) {
        same(7, $c->remember('k', 60, function ($p) use (&$calls) { $p->tags('t'); $p->ttl(5); $calls++; return 7; }), 'remember');
    }
    same(3, $calls, 'computes each time');
    same([0, false], [$c->invalidateTags('t'), $c->set('k', 1, null, ['t'])], 'tags');
});
same(1, count($texts), 'one warning');
$lock = $c->lock('n');
foreach ([fn () => $lock->acquire(), fn () => $lock->acquire(0.1), fn () => $lock->release(), fn () => $lock->forceRelease(), fn () => $lock->refresh(), fn () => $lock->isHeld(), fn () => $lock->isLocked(), fn () => $lock->fence(), fn () => $c->flushLocks(), fn () => $c->throttle('k', 1, 1)] as $call) {
    throws(Coppice\ConnectionException::class, '/nonexistent/coppice.sock', $call);
}
$strict = Cache::open($gone . '?on_error=throw');
throws(Coppice\ConnectionException::class, '/nonexistent/coppice.sock', fn () => $strict->remember('k', 60, fn () => 1));
unset($lock);

// The owner goes while a value is computed: it reaches its caller.
$c = cache();
$again = function (callable $what) {
    for ($i = 0; $i < 500; $i++) {
        try {
            return $what();
        } catch (Coppice\ConnectionException) {
            usleep(10_000);
        }
    }
};
warnings(function () use ($c) {
    same(7, $c->remember('k', 60, function () { Owner::common()->stop(9); return 7; }), 'an owner that goes meanwhile');
});
Owner::common()->start();
$lock = $c->lock('n');
same(true, $again(fn () => $lock->acquire()), 'with the next owner');
Owner::common()->stop(9);
unset($lock);
Owner::common()->start();
same(true, $again(fn () => $c->lock('n')->acquire()), 'and the next');
same(1, $c->remember('k', 60, fn () => 1), 'remember too');
same(1, $c->get('k'), 'remember too');
echo 'done';
?>
--EXPECT--
done
