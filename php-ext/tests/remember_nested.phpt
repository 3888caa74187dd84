--TEST--
Cache::remember() within remember()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same('ab', $c->remember('a', 60, fn () => 'a' . $c->remember('b', 60, fn () => 'b')), 'another key');
same(['ab', 'b'], [$c->get('a'), $c->get('b')], 'both are stored');
same('inner outer', $c->remember('same', 60, fn () => $c->remember('same', 60, fn () => 'inner') . ' outer'), 'the same key computes by itself');
same('inner outer', $c->get('same'), 'the outer one is stored');
same('k', $c->prefix('p.')->remember('k', 60, fn () => $c->remember('p.k', 60, fn () => 'k')), 'by another handle too');
$deep = fn (int $n) => $n === 0 ? 0 : 1 + $c->remember("deep $n", 60, fn () => $deep($n - 1));
$deep = function (int $n) use ($c, &$deep) { return $n === 0 ? 0 : 1 + $c->remember("deep $n", 60, fn () => $deep($n - 1)); };
same(50, $deep(50), 'fifty deep');
same(50, $c->countPrefix('deep '), 'fifty deep');
throws(Exception::class, 'inner', fn () => $c->remember('o', 60, fn () => $c->remember('i', 60, fn () => throw new Exception('inner'))));
same([false, false, 1], [$c->has('o'), $c->has('i'), $c->remember('o', 60, fn () => 1)], 'an exception ends both leases');
$late = fn (string $k) => $c->remember($k, 60, function ($p) use ($c) { $p->tags('t'); $c->invalidateTags('t'); return 'old'; });
same(['old', false], [$c->remember('outer', 60, function ($p) use ($late) { $p->tags('t'); return $late('inner'); }), $c->has('outer')], 'an inner invalidation concerns the outer value');
$fiber = new Fiber(fn () => $c->remember('f', 60, function () { Fiber::suspend(); return 'first'; }));
$fiber->start();
same('second', $c->remember('f', 60, fn () => 'second'), 'another fiber of the thread does not wait for itself');
$fiber->resume();
same(['first', 'first'], [$fiber->getReturn(), $c->get('f')], 'the lease is the first one\'s');
echo 'done';
?>
--EXPECT--
done
