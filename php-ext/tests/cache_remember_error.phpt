--TEST--
Cache::remember(): bad input, exceptions, what can't be stored
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$invalid = Coppice\InvalidArgumentException::class;
$never = fn () => throw new Exception('called');
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->remember('', 1, $never));
throws(TypeError::class, 'must be a valid callback, string given', fn () => $c->remember('k', 1, 'no such function'));
throws($invalid, 'TTL is not a number', fn () => $c->remember('k', NAN, $never));
throws(TypeError::class, 'DateInterval|int|float|null', fn () => $c->remember('k', 'soon', $never));
foreach ([NAN, -1.0, -INF] as $bad) {
    throws($invalid, 'beta can\'t be', fn () => $c->remember('k', 1, $never, beta: $bad));
    throws($invalid, 'the stale time', fn () => $c->remember('k', 1, $never, stale: $bad));
    throws($invalid, 'the wait', fn () => $c->remember('k', 1, $never, wait: $bad));
}
throws(Exception::class, 'called', fn () => $c->remember('k', 1, $never));
same(false, $c->has('k'), 'nothing is stored');
same(2, $c->remember('k', 1, fn () => 2), 'and the next one computes at once');
same(2, $c->remember('k', 1, $never), 'and is stored');

$closure = fn () => 1;
$texts = warnings(function () use ($c, $closure) {
    same($closure, $c->remember('closure', 5, fn () => $closure), 'what can\'t be stored reaches its caller');
});
same([1, true, true, true], [count($texts), str_contains($texts[0], 'remember()'), str_contains($texts[0], '"closure"'), str_contains($texts[0], 'can\'t be stored')], 'with one warning');
same([false, 1], [$c->has('closure'), $c->remember('closure', 5, fn () => 1)], 'and its lease has ended');
$exits = new class { public function __serialize(): array { throw new LogicException('not me'); } };
same($exits, @$c->remember('thrower', 5, fn () => $exits), 'so does one whose serialization throws');
$strict = cache('', ['on_error' => 'throw']);
same($closure, @$strict->remember('closure2', 5, fn () => $closure), 'whatever on_error says');

throws(Coppice\WrongTypeException::class, '', function () use ($c) {
    $c->throttle('limit', 5, 60);
    $c->remember('limit', 5, fn () => 1);
});
throws(Error::class, 'private', fn () => new Coppice\Pending());
echo 'done';
?>
--EXPECT--
done
