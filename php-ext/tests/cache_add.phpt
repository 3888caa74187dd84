--TEST--
Cache::add()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
same([true, false, 1], [$c->add('a', 1), $c->add('a', 2), $c->get('a')], 'only where there is nothing');
$c->set('t', 1, 0.01);
usleep(60_000);
same(true, $c->add('t', 2), 'an expired entry is none');
same(true, $c->add('c', 0, 60), 'with a TTL');
$c->increment('c');
same(true, $c->find('c')->ttl <= 60, 'that increment keeps');
echo 'done';
?>
--EXPECT--
done
