--TEST--
Cache::keys(): bytewise order, pages by $after
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$all = [];
for ($i = 0; $i < 2500; ++$i) {
    $all[] = "k.$i";
}
foreach (array_chunk($all, 100) as $chunk) {
    $c->setMultiple(array_fill_keys($chunk, 1));
}
$c->setMultiple(['A' => 1, "k\xff" => 1, '5' => 1]);
sort($all, SORT_STRING);
same($all, $c->keys('k.'), 'all of a prefix');
same(array_slice($all, 0, 7), $c->keys('k.', null, 7), 'limit');
same(array_slice($all, 1000, 1200), $c->keys('k.', $all[999], 1200), 'after and limit');
same(['k.10', 'k.100'], $c->keys('k.', 'k.1', 2), 'after a key that is there');
same(['k.1'], $c->keys('k.', 'k.0zzz', 1), 'after a key that is not');
same([], $c->keys('k.', 'k.\xff' . "\xff"), 'after the end');
same(2500, count($c->keys('k.', 'a')), 'after something before the prefix');
same(['5', 'A'], $c->keys('', '', 2), 'strings, whatever they look like');
same(['.0', '.1'], $c->prefix('k')->keys('', null, 2), 'without the prefix of the handle');
same(['2'], $c->prefix('k.')->keys('', '1zz', 1), 'after, behind a prefix');
echo 'done';
?>
--EXPECT--
done
