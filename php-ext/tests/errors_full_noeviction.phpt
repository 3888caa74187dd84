--TEST--
policy=noeviction: a write that finds no room is refused
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = is_shared_run() ? Coppice\Cache::open(($small = new Owner('--max-memory', '4M', '--policy', 'noeviction'))->dsn()) : cache('max_memory=4M&policy=noeviction');
$c->set('first', 'stays');
$texts = warnings(function () use ($c, &$stored) {
    for ($stored = 0; $stored < 4000 && $c->set("k.$stored", str_repeat('x', 10_000)); ++$stored);
    same(false, $c->set('k.0', str_repeat('y', 20_000)), 'refused');
});
same(true, $stored > 100 && $stored < 420, "full at some time ($stored)");
same(1, count($texts), 'one warning');
same('stays', $c->get('first'), 'nothing is lost');
same(str_repeat('x', 10_000), $c->get('k.0'), 'the old value stays');
$strict = is_shared_run() ? Coppice\Cache::open($small->dsn('on_error=throw')) : cache('on_error=throw');
throws(Coppice\RefusedException::class, '', fn () => $strict->set('more', str_repeat('x', 100_000)));
throws(Coppice\RefusedException::class, '', function () use ($strict) {
    for ($i = 0; $i < 1_000_000; ++$i) {
        $strict->increment("counter.$i");
    }
});
echo 'done';
?>
--EXPECT--
done
