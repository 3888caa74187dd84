--TEST--
Reported faults: prefixes
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
// krakjoe/apcu#84
$c->setMultiple(['a.1' => 1, 'a.2' => 2, 'ab.1' => 3]);
same([2, 3], [$c->deletePrefix('a.'), $c->get('ab.1')], 'a prefix is no pattern');
// krakjoe/apcu#165
$c->clear();
for ($i = 0; $i < 5; $i++) {
    $c->set("my_key_$i", $i);
}
same(5, count(iterator_to_array($c->scan('my_key_'))), 'walked');
same([5, 0], [$c->deletePrefix('my_key_'), $c->countPrefix()], 'then removed');
// krakjoe/apcu#60, with a tenth of the keys
for ($i = 0; $i < 100; $i++) {
    $some = [];
    for ($j = 0; $j < 1000; $j++) {
        $some["key $i $j"] = $j;
    }
    $c->setMultiple($some);
}
for ($i = 0; $i < 50; $i++) {
    $c->set("wanted.$i", $i);
}
unset($some);
$before = memory_get_usage();
memory_reset_peak_usage();
$n = 0;
foreach ($c->scan('wanted.') as $key => $value) {
    $n++;
}
same([50, true], [$n, memory_get_peak_usage() - $before < 4 << 20], 'fifty of many, in little memory');
echo 'done';
?>
--EXPECT--
done
