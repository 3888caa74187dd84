--TEST--
Decoded values: what a script does to a value changes nothing that the next read returns
--FILE--
<?php
require __DIR__ . '/setup.inc';
require __DIR__ . '/decoded_mutations.inc';
$cache = cache();
foreach ([false, true] as $stored) {
    [$reads, $hits] = run_mutations($cache, $stored);
    same(true, $reads > 200 && $hits >= $reads, "$reads reads, $hits answered by the table");
}
same(true, $cache->stats()['decoded_bytes'] > 10_000, 'held');
echo 'done';
?>
--EXPECT--
done
