--TEST--
What a Redis client stores is a string; counters are integers
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = Owner::common();
$c = cache();
$owner->command('SET', 's', '123');
same('123', $c->get('s'), 'a string, whatever it looks like');
$owner->command('SET', 'o', serialize([1]));
same(serialize([1]), $c->get('o'), 'never decoded');
$owner->command('INCR', 'n');
same(1, $c->get('n'), 'INCR leaves an int');
same(124, $c->increment('s'), 'increment of digits');
same(124, $c->get('s'), 'leaves an int');
$c->set('i', 42);
same(":43\r\n", $owner->command('INCR', 'i'), 'INCR of what the extension stored');
$c->set('text', 'abc');
same("$3\r\n", $owner->command('GET', 'text'), 'GET of what the extension stored');
$c->set('a', [1]);
same(true, str_starts_with($owner->command('INCR', 'a'), '-WRONGTYPE') || str_starts_with($owner->command('INCR', 'a'), '-ERR'), 'INCR of an array');
same([1], $c->get('a'), 'unchanged');
echo 'done';
?>
--EXPECT--
done
