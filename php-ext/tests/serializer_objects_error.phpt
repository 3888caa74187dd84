--TEST--
Objects that throw, and classes that are gone
--FILE--
<?php
require __DIR__ . '/setup.inc';
final class ThrowsOnSleep { public function __serialize(): array { throw new DomainException('asleep'); } }
final class ThrowsOnWakeup { public function __unserialize(array $data): void { throw new DomainException('awake'); } }
final class Typed { public int $x = 1; }
$c = cache();
try {
    $c->set('k', new ThrowsOnSleep());
    echo "FAILED nothing thrown\n";
} catch (Coppice\SerializationException $e) {
    same('asleep', $e->getPrevious()->getMessage(), 'the reason');
}
same(false, $c->has('k'), 'nothing stored');
$c->set('w', [new ThrowsOnWakeup()]);
same(1, count($texts = warnings(fn () => same('d', $c->get('w', 'd'), 'a miss'))), 'one warning');
same(true, str_contains($texts[0], 'key "w" counts as a miss: unserializing it threw'), $texts[0]);
throws(Coppice\SerializationException::class, 'can\'t be decoded', fn () => cache('', ['on_error' => 'throw'])->get('w'));
$c->set('t', unserialize('O:5:"Gone1":1:{s:1:"x";i:1;}'));
same('__PHP_Incomplete_Class', get_class($c->get('t')), 'an unknown class, as unserialize() has it');
echo 'done';
?>
--EXPECT--
done
