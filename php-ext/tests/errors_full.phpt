--TEST--
A value without room, or over the limit: false, one warning of its kind, the old value stays
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = is_shared_run() ? Coppice\Cache::open(($small = new Owner('--max-memory', '4M', '--max-value', '1M'))->dsn()) : cache('max_memory=4M&max_value=1M');
$c->set('k', 'old');
$texts = warnings(function () use ($c) {
    same(false, $c->set('k', str_repeat('x', (1 << 20) + 1)), 'over max_value');
    same(false, $c->set('k', array_fill(0, 1000, str_repeat('y', 2000)) + ['z' => random_bytes(1 << 20)]), 'an array over max_value');
    same(false, $c->add('new', str_repeat('x', 2 << 20)), 'add');
    same(false, $c->setMultiple(['a' => 1, 'b' => str_repeat('x', 2 << 20), 'c' => 3]), 'setMultiple');
});
same(1, count($texts), 'one warning');
same(true, str_contains($texts[0] ?? '', 'not reported again in this request for a minute'), 'which says so');
// A failure of another kind is not silenced by it.
$away = Coppice\Cache::open('unix:///nonexistent/coppice.sock');
$texts = warnings(fn () => [$away->get('k'), $away->get('k'), $c->set('k', str_repeat('x', 2 << 20))]);
same(1, count($texts), 'one warning of the other kind');
same(true, str_contains($texts[0] ?? '', '/nonexistent/coppice.sock'), 'which is that');
same(['old', 1, null, 3], array_values($c->getMultiple(['k', 'a', 'b', 'c'])), 'the rest is stored');
$strict = Coppice\Cache::open(is_shared_run() ? $small->dsn('on_error=throw') : dsn('on_error=throw'));
throws(Coppice\RefusedException::class, '', fn () => $strict->set('k', str_repeat('x', 2 << 20)));
same('old', $c->get('k'), 'unchanged');
for ($i = 0; $i < 4000; ++$i) {
    $c->set("fill.$i", str_repeat('x', 10_000));
}
same(true, $c->has('fill.3999'), 'evicts the others');
$alive = $c->countPrefix('fill.');
same(true, $alive * 10_000 > 0.5 * (4 << 20), "and no more than needed ($alive of some 400)");
echo 'done';
?>
--EXPECT--
done
