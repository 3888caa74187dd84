--TEST--
Pending::tags(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$invalid = Coppice\InvalidArgumentException::class;
throws($invalid, 'a tag is empty', fn () => $c->remember('a', 60, function ($p) { $p->tags('x', ''); }));
throws($invalid, 'a tag has 1025 bytes', fn () => $c->remember('a', 60, function ($p) { $p->tags(str_repeat('x', 1025)); }));
throws($invalid, 'tags', fn () => $c->remember('a', 60, function ($p) { $p->tags(...array_map('strval', range(0, 4096))); return 1; }));
same([false, 0, 2], [$c->has('a'), $c->stats()['tags'], $c->remember('a', 60, fn () => 2)], 'nothing stored, and no lease left');
echo 'done';
?>
--EXPECT--
done
