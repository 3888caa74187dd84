--TEST--
Cache::remember(): a hit, a miss, values, TTLs
--FILE--
<?php
require __DIR__ . '/setup.inc';
use Coppice\Pending;
$c = cache();
$calls = 0;
$compute = function (Pending $p) use (&$calls) { $calls++; return ['n' => $calls]; };
same([['n' => 1], ['n' => 1], 1], [$c->remember('k', 60, $compute), $c->remember('k', 60, $compute), $calls], 'computed once');
same([['n' => 1], true], [$c->get('k'), $c->find('k')->ttl > 50], 'stored like any other');
foreach (['null' => null, 'false' => false, 'empty' => [], 'zero' => 0, 'text' => '', 'object' => new ArrayObject([1])] as $name => $value) {
    $calls = 0;
    $get = function () use ($c, $name, $value, &$calls) { return $c->remember($name, null, function () use (&$calls, $value) { $calls++; return $value; }); };
    same([serialize($value), serialize($value), 1], [serialize($get()), serialize($get()), $calls], "$name is a value");
    same(null, $c->find($name)->ttl, 'no TTL');
}
same(7, $c->remember('zero ttl', 0, fn () => 7), 'a TTL of 0');
same(false, $c->has('zero ttl'), 'stores nothing');
same(7, $c->remember('interval', new DateInterval('PT10S'), fn () => 7), 'an interval');
same(true, $c->find('interval')->ttl > 5, 'an interval');
same(7, $c->remember('interval', new DateInterval('PT10S'), fn () => 8), 'an interval on a hit');
same(0.5, $c->remember('fraction', 0.5, fn () => 0.5), 'a fraction');
$view = $c->prefix('v.');
same([1, 1], [$view->remember('k', 5, fn () => 1), $c->get('v.k')], 'behind a prefix');
final class Source { public static function make(): string { return 'static'; } public function __invoke(): string { return 'invoked'; } public function __call($n, $a) { return $n; } }
same(['static', 'invoked', 'magic', PHP_SAPI], [$c->remember('c1', 5, 'Source::make'), $c->remember('c2', 5, new Source()), $c->remember('c3', 5, [new Source(), 'magic']), $c->remember('c4', 5, 'php_sapi_name')], 'any callable');
same(3, $c->remember('c5', 5, function &() { static $n = 3; return $n; }), 'one that returns by reference');
same('x', $c->remember(key: 'named', ttl: 5, compute: fn () => 'x', wait: 1), 'named arguments');
$c->set('set', 1);
same(1, $c->remember('set', 5, fn () => 2), 'what set() stored is a hit');
$c->delete('k');
same(['n' => 1], $c->remember('k', 60, function () { return ['n' => 1]; }), 'after a delete it is computed again');
$big = array_fill(0, 1000, 'row');
same([$big, $big, $big], [$c->remember('big', 60, fn () => $big), $c->remember('big', 60, fn () => 0), $c->get('big')], 'large arrays');
echo 'done';
?>
--EXPECT--
done
