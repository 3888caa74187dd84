--TEST--
Objects: identity, enums, uninitialised properties, __serialize, nesting
--FILE--
<?php
require __DIR__ . '/setup.inc';
enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
final class Point { public int $x; public ?Point $next = null; public function __construct(private readonly int $y = 3) {} public function y(): int { return $this->y; } }
final class Custom { public array $log = []; public function __serialize(): array { return ['v' => 1]; } public function __unserialize(array $data): void { $this->log = $data; } }
$c = cache();
$c->setMultiple(['enum' => Suit::Hearts, 'list' => [Suit::Spades, Suit::Spades], 'date' => new DateTimeImmutable('2020-02-03 04:05:06 UTC')]);
same(Suit::Hearts, $c->get('enum'), 'enum');
same([Suit::Spades, Suit::Spades], $c->get('list'), 'enums in an array');
same('2020-02-03T04:05:06+00:00', $c->get('date')->format('c'), 'date');
$point = new Point();
$c->set('point', $point);
same(3, $c->get('point')->y(), 'an uninitialised typed property');
$point->x = 1;
$point->next = $point;
$c->set('point', $point);
$got = $c->get('point');
same(true, $got->next === $got && $got !== $point, 'an object that holds itself');
$c->set('custom', new Custom());
same(['v' => 1], $c->get('custom')->log, '__serialize and __unserialize');
// A handler that uses the cache itself.
final class Nested { public function __serialize(): array { cache()->set('inner', ['from' => 'serialize']); return [cache()->get('inner')]; }
    public function __unserialize(array $data): void { $this->seen = [$data, cache()->get('inner'), unserialize(serialize([1, 2]))]; } public $seen; }
$c->set('nested', ['a' => [1, 2], 'n' => new Nested()]);
$got = $c->get('nested');
same([[['from' => 'serialize']], ['from' => 'serialize'], [1, 2]], $got['n']->seen, 'handlers may use the cache');
same([1, 2], $got['a'], 'handlers may use the cache');
$c->setMultiple(['p' => new Nested(), 'q' => [new Nested(), 'x' => 1]]);
same(1, $c->getMultiple(['p', 'q'])['q']['x'], 'in bulk, too');
// From inside of another serialize().
final class Outer { public function __serialize(): array { cache()->set('o', [new ArrayObject([5])]); return [cache()->get('o')[0]]; } public function __unserialize(array $d): void { $this->d = $d; } public $d; }
same([5], unserialize(serialize([new Outer(), new Outer()]))[1]->d[0]->getArrayCopy(), 'within a serialize() of the script');
echo 'done';
?>
--EXPECT--
done
