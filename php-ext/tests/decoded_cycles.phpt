--TEST--
Decoded values: rows that outlive their array take part in cycles as any array does, and the collector does not walk kept ones
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$cache = cache();
$dropped = ['replaced' => fn () => $cache->setMultiple(['rows' => rows(10, ' new')]) && $cache->get('rows'), 'stored anew' => fn () => $cache->set('rows', rows(12))];
foreach ($dropped as $how => $drop) {
    gc_collect_cycles();
    $before = null;
    for ($i = 0; $i < 50; $i++) {
        $cache->setMultiple(['rows' => rows(10)]);
        $rows = $cache->get('rows');
        $row = $rows[3];
        $nested = [$rows[4], $rows[5]];
        unset($rows);
        $drop();
        // The row is this script's alone now, the very array that was kept; a cycle of arrays, then one through an object.
        $row['self'] = &$row;
        unset($row);
        same(true, gc_collect_cycles() > 0, "$how: the cycle of a row");
        $nested[0]['object'] = new ArrayObject();
        $nested[0]['object']['row'] = &$nested[0];
        $nested[1]['root'] = &$nested;
        unset($nested);
        same(true, gc_collect_cycles() > 0, "$how: cycles through rows");
        $before ??= memory_get_usage();
    }
    same(true, memory_get_usage() - $before < 20_000, "$how: " . (memory_get_usage() - $before) . ' bytes leaked');
}

// Handing out and letting go makes no work for the collector.
$keys = [];
for ($i = 0; $i < 30; $i++) {
    $cache->set($keys[] = "list.$i", rows(10));
}
gc_collect_cycles();
$roots = gc_status()['roots'];
for ($i = 0; $i < 300; $i++) {
    $v = $cache->get($keys[$i % 30]);
    $row = $v[$i % 10];
    unset($v, $row);
}
same(true, gc_status()['roots'] - $roots < 5, gc_status()['roots'] - $roots . ' roots for the collector, of 330 arrays');
echo 'done';
?>
--EXPECT--
done
