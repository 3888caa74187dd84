--TEST--
Cache::countPrefix()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same(0, $c->countPrefix(), 'empty');
$c->setMultiple(['a.1' => 1, 'a.2' => 1, 'b' => 1]);
same([3, 2, 0], [$c->countPrefix(), $c->countPrefix('a.'), $c->countPrefix('x')], 'counts');
same(2, $c->prefix('a')->countPrefix('.'), 'behind a prefix');
same(2, $c->prefix('a.')->countPrefix(), 'the whole handle');
echo 'done';
?>
--EXPECT--
done
