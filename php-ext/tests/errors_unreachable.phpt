--TEST--
No owner: misses, false, one warning a request; counters throw
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
    same('d', $c->get('k', 'd'), 'get');
    same(false, $c->set('k', 1), 'set');
    same([false, false, false], [$c->add('k', 1), $c->replace('k', 1), $c->cas('k', 2, 1)], 'conditions');
    same([false, false, false], [$c->delete('k'), $c->has('k'), $c->touch('k', 1)], 'others');
    same(['k' => 'd'], $c->getMultiple(['k'], 'd'), 'getMultiple');
    same([false, false], [$c->setMultiple(['k' => 1]), $c->deleteMultiple(['k'])], 'bulk');
    same([0, 0, [], []], [$c->deletePrefix('k'), $c->countPrefix(), $c->keys(), iterator_to_array($c->scan())], 'ranges');
    same('d', $c->pull('k', 'd'), 'pull');
    same(null, $c->find('k'), 'find');
    same([false, 0], [$c->clear(), $c->prune()], 'upkeep');
    same(0, $c->stats()['entries'], 'stats');
    same(true, $c->isShared(), 'never downgraded');
});
same(1, count($texts), 'one warning');
same(true, str_contains($texts[0] ?? '', '/nonexistent/coppice.sock'), 'which names the socket');
throws(Coppice\ConnectionException::class, '/nonexistent/coppice.sock', fn () => $c->increment('n'));
throws(Coppice\ConnectionException::class, '/nonexistent/coppice.sock', fn () => $c->decrement('n'));
$strict = Cache::open($gone . '?on_error=throw');
foreach ([fn ($c) => $c->get('k'), fn ($c) => $c->set('k', 1), fn ($c) => $c->getMultiple(['k']), fn ($c) => $c->keys(), fn ($c) => iterator_to_array($c->scan()), fn ($c) => $c->stats(), fn ($c) => $c->has('k')] as $i => $call) {
    throws(Coppice\ConnectionException::class, '/nonexistent/coppice.sock', fn () => $call($strict));
}
echo 'done';
?>
--EXPECT--
done
