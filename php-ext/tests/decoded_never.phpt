--TEST--
Decoded values: what never enters the table: small values, objects, references, and arrays that a decoding would not give
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$cache = cache();
$entries = fn () => $cache->stats()['decoded_entries'];
$never = function (string $what, mixed $value, bool $stored = true) use ($cache, $entries) {
    $cache->setMultiple(['k' => $value]);
    $read = $cache->get('k');
    $again = $cache->get('k');
    same(serialize($value), serialize($again), $what);
    same(serialize($read), serialize($again), "$what, twice");
    same(0, $entries(), "$what was kept when it was read");
    if ($stored) {
        $cache->set('k', $value);
        same(0, $entries(), "$what was kept when it was stored");
    }
};
foreach ([1, PHP_INT_MIN, 1.5, true, false, null, '', 'short', str_repeat('x', 1023), [], [1, 2, 3], ['id' => 1, 'score' => 2]] as $i => $small) {
    $never("small value $i", $small);
}
$long = str_repeat('long ', 600);
$never('an object', new ArrayObject(rows(20)));
$never('an array with an object', [...rows(20), new stdClass()]);
$never('an array with an object deep inside', ['a' => ['b' => [...rows(20), 'o' => (object) ['x' => $long]]]]);
$one = $long;
$never('an array with two names for one place', ['a' => &$one, 'b' => &$one, ...rows(20)]);
$list = rows(20);
foreach ($list as &$row) {
    $row['ref'] = &$row['id'];
}
unset($row);
$never('an array full of references', $list);
foreach (['recursive' => (function () { $a = rows(20); $a['self'] = &$a; return $a; })(), 'resource' => [STDIN, ...rows(20)]] as $what => $value) {
    try {
        $cache->set('k', $value);
        echo "FAILED $what was stored\n";
    } catch (Coppice\SerializationException) {
        same(0, $entries(), "$what was kept");
    }
}

// Given to set(), they are not what a decoding gives; decoded, they may be kept.
$moved = rows(20);
next($moved);
foreach (['an array with a moved position' => $moved, 'an array with a hole' => (function () { $a = rows(20); unset($a[7]); return $a; })(), 'a list that was longer' => (function () { $a = rows(20); array_push($a, 1, 2); unset($a[21], $a[20]); return $a; })(),
    'a row with a moved position' => (function () { $a = rows(20); end($a[3]); return $a; })(), 'an array with one name for a place' => (function () { $a = rows(20); $r = &$a[5]; return $a; })()] as $what => $value) {
    $before = $cache->stats();
    $cache->set("stored.$what", $value);
    same($before['decoded_entries'], $entries(), "$what was kept when it was stored");
    $read = $cache->get("stored.$what");
    same(serialize($value), serialize($read), $what);
    same(array_key_first($read), key($read), "$what: the position");
    $read[] = 'next';
    $other = $cache->get("stored.$what");
    same(array_key_first($other), key($other), "$what: the position of what is kept");
    $other[] = 'next';
    same(array_key_last($read), array_key_last($other), "$what: the next index");
    same(true, array_key_last($other) === max(array_keys($value)) + 1, "$what: the next index follows from the keys");
}
echo 'done';
?>
--EXPECT--
done
