--TEST--
Reported faults: counters
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->add('k', 0, 60);
$c->increment('k');
same(true, $c->find('k')->ttl <= 60, 'the TTL of add stays');
$c->set('t', 0, 600);
for ($i = 0; $i < 3; ++$i) {
    $before = $c->find('t')->ttl;
    usleep(30_000);
    $c->increment('t', 1, 0, 1000);
    same(true, $c->find('t')->ttl < $before, 'increments do not put the deadline off');
}
same(-1, $c->increment('a', -1, 0), 'below zero from nothing');
foreach ([['serializer' => 'php']] + (extension_loaded('igbinary') ? [1 => ['serializer' => 'igbinary']] : []) as $options) {
    $s = cache('', $options);
    $s->set('x', 3);
    same([4, 4], [$s->increment('x'), $s->get('x')], 'with every serializer');
    same([1, 1], [$s->increment('y' . $options['serializer']), $s->get('y' . $options['serializer'])], 'new keys too');
}
echo 'done';
?>
--EXPECT--
done
