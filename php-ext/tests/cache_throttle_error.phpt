--TEST--
Cache::throttle(): bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$invalid = Coppice\InvalidArgumentException::class;
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->throttle('', 1, 1));
foreach ([0, -1, PHP_INT_MIN, PHP_INT_MAX] as $limit) {
    throws($invalid, "the limit can't be $limit", fn () => $c->throttle('k', $limit, 1));
}
foreach ([0.0, -1.0, INF, NAN] as $per) {
    throws($invalid, 'the period', fn () => $c->throttle('k', 1, $per));
}
throws($invalid, 'the cost can\'t be -1', fn () => $c->throttle('k', 1, 1, -1));
same(0, $c->countPrefix(), 'nothing was done');
$c->set('value', 1);
throws(Coppice\WrongTypeException::class, '', fn () => $c->throttle('value', 1, 1));
$c->throttle('limit', 5, 60);
foreach ([fn () => $c->get('limit'), fn () => $c->increment('limit'), fn () => $c->find('limit'), fn () => $c->pull('limit')] as $i => $call) {
    throws(Coppice\WrongTypeException::class, '', $call);
}
same(['limit' => 0], $c->getMultiple(['limit'], 0), 'a miss among several keys');
same([1, 4], [$c->get('value'), $c->throttle('limit', 5, 60, 0)->remaining], 'both are as they were');
throws(Error::class, 'private', fn () => new Coppice\Throttle());
echo 'done';
?>
--EXPECT--
done
