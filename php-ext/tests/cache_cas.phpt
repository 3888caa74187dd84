--TEST--
Cache::cas(): only while the version is the same
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('a', 'first');
$version = $c->find('a')->version;
same(true, $c->cas('a', $version, 'second', 60), 'unchanged since');
same('second', $c->get('a'), 'stored');
same(true, $c->find('a')->ttl > 50, 'with the TTL');
same(false, $c->cas('a', $version, 'third'), 'changed since');
same('second', $c->get('a'), 'kept');
$version = $c->find('a')->version;
$c->delete('a');
same(false, $c->cas('a', $version, 'x'), 'gone');
$c->set('a', 'again');
same(false, $c->cas('a', $version, 'x'), 'made again: a version never comes back');
same([false, false], [$c->cas('a', 0, 'x'), $c->cas('a', -2, 'x')], 'no version');
echo 'done';
?>
--EXPECT--
done
