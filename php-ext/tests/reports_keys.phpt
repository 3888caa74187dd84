--TEST--
Reported faults: keys
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['user name' => 1, 'user  name' => 2, 'username' => 3, 'email@address' => 4]);
same([1, 2, 3, 4], array_values($c->getMultiple(['user name', 'user  name', 'username', 'email@address'])), 'distinct, and stored as they are');
foreach ($c->getMultiple(['123']) as $key => $value) {
    same('123', $key, 'numeric keys stay strings');
}
same(true, $c->setMultiple(['0' => 'value0']), 'key 0');
same('value0', $c->get('0'), 'key 0');
$c->clear();
$keys = ["e\u{301}", "\u{e9}", 'ユニコード', 'z'];
foreach ($keys as $key) {
    $c->set($key, $key);
}
sort($keys, SORT_STRING);
same($keys, $c->keys(), 'NFC and NFD are distinct, sorted bytewise');
$key = 'sucMhozlYhsLz60ctUdZecTOTEGsC5cy:WirelessService.getListForSixGrid';
$c->set($key, 1);
same([$key], $c->keys('suc'), 'byte-identical');
echo 'done';
?>
--EXPECT--
done
