--TEST--
Decoded values: held within coppice.decoded_memory to the byte; what is read again and again stays
--INI--
coppice.decoded_memory=300000
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$cache = cache();
$cache->setMultiple(['hot' => rows(20)]);
$cache->get('hot');
$hot = 0;
for ($i = 0; $i < 300; $i++) {
    // Arrays and strings of many sizes, larger ones than the table among them.
    $value = match ($i % 4) {
        0 => rows(($i * 7) % 90 + 1),
        1 => str_repeat('x', ($i * 997) % 40_000 + 2048),
        2 => rows(2000),
        3 => array_fill(0, $i + 100, $i),
    };
    $cache->setMultiple(["key.$i" => $value]);
    same($value, $cache->get("key.$i"), "key.$i");
    same($value, $cache->get("key.$i"), "key.$i again");
    same(20, count($cache->get('hot')), 'hot');
    $stats = $cache->stats();
    if ($stats['decoded_bytes'] > 300_000 || $stats['decoded_limit'] !== 300_000) {
        echo "FAILED $stats[decoded_bytes] bytes of $stats[decoded_limit]\n";
    }
    $hot += decoded_hits($cache, fn () => $cache->get('hot'));
}
same(true, $hot > 280, "hot was there $hot times of 300");
same(true, $stats['decoded_evictions'] > 50, "$stats[decoded_evictions] evictions");
same(true, $stats['decoded_bytes'] > 200_000, "$stats[decoded_bytes] bytes in use");
same(true, $stats['decoded_entries'] > 1, 'entries');

// What is read once drives out nothing.
$before = $cache->stats()['decoded_evictions'];
for ($i = 0; $i < 50; $i++) {
    $cache->setMultiple(['once' => rows(30)]);
    $cache->get('once');
}
same($before, $cache->stats()['decoded_evictions'], 'evictions by what is read once');

$cache->get('hot');

// A walk takes what is free, and drives out nothing.
$before = $cache->stats()['decoded_evictions'];
foreach ($cache->scan() as $key => $value) {
    same(true, $value !== null, $key);
}
same($before, $cache->stats()['decoded_evictions'], 'evictions by a walk');
same(1, decoded_hits($cache, fn () => $cache->get('hot')), 'hot after a walk');
echo 'done';
?>
--EXPECT--
done
