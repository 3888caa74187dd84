--TEST--
Cache::set(): overwriting, TTLs, keys of any bytes
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same(true, $c->set('a', 1), 'new');
same(true, $c->set('a', str_repeat('x', 5000)), 'overwritten by something larger');
same(5000, strlen($c->get('a')), 'larger');
$c->set('t', 1, 100);
$c->set('t', 2);
same(null, $c->find('t')->ttl, 'a plain set drops an older TTL');
foreach (["a\0b", "a\0c", "\xff", "\xfe", ' ', 'user name', 'user  name', 'username', 'email@address', '{}()/\\@:', '0', '-1',
    'ユニコード', "e\u{301}", "\u{e9}", 'sucMhozlYhsLz60ctUdZecTOTEGsC5cy:WirelessService.getListForSixGrid'] as $i => $key) {
    $c->set($key, $i);
    $keys[] = $key;
}
foreach ($keys as $i => $key) {
    same($i, $c->get($key), 'key ' . bin2hex($key));
}
$stored = array_values(array_diff($c->keys(), ['a', 't']));
sort($keys, SORT_STRING);
same($keys, $stored, 'each key comes back as its own bytes, in their order');
echo 'done';
?>
--EXPECT--
done
