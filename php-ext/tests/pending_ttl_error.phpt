--TEST--
Pending::ttl(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
throws(Coppice\InvalidArgumentException::class, 'TTL is not a number', fn () => $c->remember('a', 60, function ($p) { $p->ttl(NAN); }));
throws(TypeError::class, 'DateInterval|int|float|null', fn () => $c->remember('a', 60, function ($p) { $p->ttl([]); }));
same(false, $c->has('a'), 'nothing stored');
throws(Exception::class, 'Serialization of \'Coppice\Pending\' is not allowed', fn () => $c->remember('a', 60, fn ($p) => serialize($p)));
throws(Error::class, 'uncloneable', fn () => $c->remember('a', 60, fn ($p) => clone $p));
echo 'done';
?>
--EXPECT--
done
