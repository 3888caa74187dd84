--TEST--
Cache::lock(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$invalid = Coppice\InvalidArgumentException::class;
throws($invalid, 'the lock\'s name is empty', fn () => $c->lock(''));
throws($invalid, 'the lock\'s name has 4097 bytes; 4096 are the limit', fn () => $c->lock(str_repeat('x', 4097)));
throws($invalid, '4097 bytes with its prefix', fn () => $c->prefix('p')->lock(str_repeat('x', 4096)));
foreach ([0.0, -1.0, -INF] as $lease) {
    throws($invalid, 'the lease can\'t be', fn () => $c->lock('n', $lease));
}
throws($invalid, 'the lease is not a number', fn () => $c->lock('n', NAN));
throws($invalid, 'owner token has 0 bytes', fn () => $c->lock('n', 1, ''));
throws($invalid, 'owner token has 257 bytes', fn () => $c->lock('n', 1, str_repeat('x', 257)));
throws($invalid, 'FORCE', fn () => $c->lock('n', 1, 'FORCE'));
throws(Error::class, 'private', fn () => new Coppice\Lock());
throws(Error::class, 'uncloneable', fn () => clone $c->lock('n'));
throws(Exception::class, 'not allowed', fn () => serialize($c->lock('n')));
echo 'done';
?>
--EXPECT--
done
