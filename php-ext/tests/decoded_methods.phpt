--TEST--
Decoded values: which methods use the table, and which put into it
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$cache = cache();
$rows = rows(20);
$long = str_repeat('long ', 600);
$cache->setMultiple(['rows' => $rows, 'long' => $long, 'small' => [1, 2], 'int' => 7, 'object' => new ArrayObject($rows)]);
$hits = fn (callable $call) => decoded_hits($cache, $call);
$misses = function (callable $call) use ($cache) {
    $before = $cache->stats()['decoded_misses'];
    $call();
    return $cache->stats()['decoded_misses'] - $before;
};
$read = function () use ($cache, $rows, $long) {
    same([$rows, $long], [$cache->get('rows'), $cache->get('long')], 'get');
};
same(0, $hits($read), 'the first read decodes');
same(2, $hits($read), 'get');
same(0, $misses($read), 'get misses nothing');
same(2, $hits(fn () => same(['rows' => $rows, 'int' => 7, 'long' => $long, 'no' => null], $cache->getMultiple(['rows', 'int', 'long', 'no']), 'getMultiple')), 'getMultiple');
same(1, $hits(fn () => same($rows, $cache->find('rows')->value, 'find')), 'find');
same(1, $hits(fn () => same($long, $cache->find('long')->value, 'find of a string')), 'find of a string');
same(2, $hits(fn () => same($rows, iterator_to_array($cache->scan())['rows'], 'scan')), 'scan');
same(0, $hits(fn () => $cache->has('rows')), 'has needs no value');
same(0, $hits(fn () => [$cache->get('small'), $cache->get('int'), $cache->get('object'), $cache->get('none')]), 'what never enters');
same(0, $misses(fn () => [$cache->get('small'), $cache->get('int'), $cache->get('object'), $cache->get('none'), $cache->getMultiple(['small', 'int'])]), 'what is not even looked for');

// A view is the same store: its keys are those of the whole.
$view = $cache->prefix('ro');
same(1, $hits(fn () => same($rows, $view->get('ws'), 'a view')), 'a view');

// Writers find what they stored.
foreach (['set' => fn ($v) => $cache->set('w', $v), 'replace' => fn ($v) => $cache->replace('w', $v), 'cas' => fn ($v) => $cache->cas('w', $cache->find('w')->version, $v),
    'add' => fn ($v) => $cache->delete('w') && $cache->add('w', $v), 'set with a TTL' => fn ($v) => $cache->set('w', $v, 60)] as $how => $store) {
    foreach ([rows(30, $how), "$how $long"] as $value) {
        same(true, $store($value), $how);
        same(1, $hits(fn () => same($value, $cache->get('w'), "$how, then get")), "$how puts into the table");
    }
}
same(false, $cache->add('w', rows(5)), 'add of what is there');
same(1, $hits(fn () => same("set with a TTL $long", $cache->get('w'), 'what was there')), 'add that did nothing puts nothing');
$cache->set('w', rows(30), 0);
same(null, $cache->get('w'), 'a TTL of nothing');

// getMultiple and scan put in what they decode.
$cache->setMultiple(['m' => rows(21), 's' => rows(22)]);
$cache->getMultiple(['m']);
same(1, $hits(fn () => same(rows(21), $cache->get('m'), 'after getMultiple')), 'getMultiple puts into the table');
foreach ($cache->scan('s') as $value);
same(1, $hits(fn () => same(rows(22), $cache->get('s'), 'after scan')), 'scan puts into the table');

// pull takes what is kept along.
same(rows(22), $cache->pull('s'), 'pull');
same(null, $cache->get('s'), 'after pull');
// The last one is worth keeping, and the first is not.
$cache->setMultiple(['a' => [1], 'b' => rows(9), 'c' => [2], 'd' => 'x']);
for ($i = 0; $i < 3; $i++) {
    same(['b' => rows(9), 'a' => [1], 'd' => 'x', 'c' => [2]], $cache->getMultiple(['b', 'a', 'd', 'c']), 'kept and not kept in turn');
}
echo 'done';
?>
--EXPECT--
done
