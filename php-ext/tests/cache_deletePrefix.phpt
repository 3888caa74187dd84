--TEST--
Cache::deletePrefix(): exactly the branch
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->setMultiple(['a.1' => 1, 'a.2' => 1, 'ab.1' => 1, 'a' => 1, 'group1' => 1, 'group10' => 1]);
same(2, $c->deletePrefix('a.'), 'two');
same(['a', 'ab.1', 'group1', 'group10'], $c->keys(), 'the others');
same(0, $c->deletePrefix('zzz'), 'none');
$c->set('e.1', 1, 0.01);
$c->set('e.2', 1);
usleep(60_000);
same(1, $c->deletePrefix('e.'), 'expired ones do not count');
for ($i = 0; $i < 5; ++$i) {
    $c->set("my_key_$i", $i);
}
foreach ($c->scan('my_key_') as $value) {
}
same(5, $c->deletePrefix('my_key_'), 'after a whole scan');
same([], $c->keys('my_key_'), 'nothing left');
$p = $c->prefix('a');
same(1, $p->deletePrefix('b'), 'behind the prefix of the handle');
same(['a', 'group1', 'group10'], $c->keys(), 'behind the prefix of the handle');
$c->set("n\0a", 1);
$c->set("n\0b", 1);
same(1, $c->deletePrefix("n\0a"), 'NUL bytes');
echo 'done';
?>
--EXPECT--
done
