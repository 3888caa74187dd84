--TEST--
Reported faults: values come back whole, or are refused
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
foreach ([10_001, 1 << 20] as $size) {
    $value = ['text' => random_bytes($size), 'n' => 1];
    same(true, $c->set('k', $value), "$size");
    same($value, $c->get('k'), "$size");
    $c->set('s', $text = serialize($value));
    same($text, $c->get('s'), "$size");
}
same(4000, count(array_filter(array_map(fn ($i) => $c->set("v.$i", str_repeat('x', 10_000)), range(1, 4000)))), '4000 values of 10 kB');
same(4000, $c->countPrefix('v.'), 'all there');
echo 'done';
?>
--EXPECT--
done
