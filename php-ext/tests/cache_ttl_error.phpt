--TEST--
TTLs that are none
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', 'old');
throws(Coppice\InvalidArgumentException::class, 'not a number', fn () => $c->set('k', 1, NAN));
throws(TypeError::class, '#3 ($ttl) must be of type DateInterval|int|float|null, string given', fn () => $c->set('k', 1, 'abc'));
throws(TypeError::class, 'array given', fn () => $c->set('k', 1, []));
throws(TypeError::class, 'stdClass given', fn () => $c->set('k', 1, new stdClass()));
throws(TypeError::class, '#2 ($ttl)', fn () => $c->touch('k', 'abc'));
throws(TypeError::class, '#2 ($ttl)', fn () => $c->setMultiple(['k' => 1], 'abc'));
throws(TypeError::class, '#4 ($ttl)', fn () => $c->increment('n', 1, 0, 'abc'));
throws(TypeError::class, '#4 ($ttl)', fn () => $c->cas('k', 1, 1, 'abc'));
same('old', $c->get('k'), 'unchanged');
same(false, $c->has('n'), 'unchanged');
echo 'done';
?>
--EXPECT--
done
