--TEST--
Reported faults: expired entries give their memory back without a read
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$before = $c->stats()['used_memory'];
for ($i = 0; $i < 20_000; $i += 100) {
    $c->setMultiple(array_fill_keys(array_map(fn ($j) => "e.$j", range($i, $i + 99)), str_repeat('x', 500)), 0.5);
}
$peak = $c->stats()['used_memory'];
usleep(700_000);
for ($i = 0; $i < 8000; ++$i) {  // a local store sweeps with its writes
    $c->set('other', $i);
}
$after = $c->stats();
same(true, $after['entries'] < 50, 'swept: ' . $after['entries']);
same(true, $after['used_memory'] < $before + ($peak - $before) / 4, 'memory came back');
echo 'done';
?>
--EXPECT--
done
