--TEST--
Cache::find(): the entry with what is known of it
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same(null, $c->find('x'), 'a miss');
$encodings = [];
foreach (['s' => 'abc', 'i' => -12, 'n' => null, 'b' => true, 'f' => 1.5, 'a' => [1, 2, 3], 'o' => new ArrayObject()] as $key => $value) {
    $c->set($key, $value);
    $entry = $c->find($key);
    same(serialize($value), serialize($entry->value), "value of $key");
    $encodings[$key] = $entry->encoding;
    $bytes[$key] = $entry->bytes;
}
same(['s' => 'string', 'i' => 'int', 'n' => 'null', 'b' => 'bool', 'f' => 'float', 'a' => 'array', 'o' => 'serialized'], $encodings, 'encodings');
same([3, 3, 0, 0, 8, 5], array_values(array_slice($bytes, 0, 6)), 'bytes');
$c->set('t', 1, 10);
$entry = $c->find('t');
same(true, is_float($entry->ttl) && $entry->ttl <= 10 && $entry->ttl > 5, 'ttl');
same(null, $c->find('s')->ttl, 'without a TTL');
$versions = [];
for ($i = 0; $i < 3; ++$i) {
    $c->set('v', $i);
    $versions[] = $c->find('v')->version;
    $c->delete('v');
}
same(3, count(array_unique($versions)), 'versions never repeat');
echo 'done';
?>
--EXPECT--
done
