--TEST--
Cache::scan(): key => value in order, while things change
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
for ($i = 0; $i < 1000; ++$i) {
    $c->set(sprintf('s.%03d', $i), ['i' => $i]);
}
$c->set('t', new ArrayObject([1]));
$seen = [];
foreach ($c->scan('s.') as $key => $value) {
    $seen[$key] = $value['i'];
}
same(range(0, 999), array_values($seen), 'values');
same('s.999', array_key_last($seen), 'keys');
$keys = [];
foreach ($c->scan('s.') as $key => $value) {
    $keys[] = $key;
    $c->delete($key);
    $c->set('s.000a', 'before the walk, never seen');
}
same(1000, count(array_unique($keys)), 'deleting while it goes neither skips nor repeats');
same(['s.000a'], $c->keys('s.'), 'what was added behind the walk stays');
$scan = $c->scan('', null, 1);
same(['s.000a' => 'before the walk, never seen'], iterator_to_array($scan), 'limit');
same(1, iterator_count($scan), 'each iteration starts anew');
same(['t' => [1]], array_map(fn ($o) => $o->getArrayCopy(), iterator_to_array($c->scan('', 's.zzz'))), 'after; objects');
same([], iterator_to_array($c->scan('none')), 'nothing');
$c->set('77', 1);
foreach ($c->scan('7') as $key => $value) {
    same('77', $key, 'keys stay strings');
}
same(['00a' => 'before the walk, never seen'], iterator_to_array($c->prefix('s.0')->scan()), 'without the prefix of the handle');
$c->clear();
for ($i = 0; $i < 20_000; ++$i) {
    $c->set("m.$i", str_repeat('x', 500));
}
gc_collect_cycles();
$before = memory_get_usage();
$peak = 0;
foreach ($c->scan('m.') as $value) {
    $peak = max($peak, memory_get_usage() - $before);
}
same(true, $peak < 100_000, "memory does not grow with the range ($peak)");
$iterator = $c->scan('no such prefix')->getIterator();
same([null, null, false], [$iterator->current(), $iterator->key(), $iterator->valid()], 'behind the end there is null');
$iterator->rewind();
same([[null, null]], [[$iterator->current(), $iterator->key()]], 'rewound as well');
$iterator->next();
same(null, $iterator->current(), 'and further on');
echo 'done';
?>
--EXPECT--
done
