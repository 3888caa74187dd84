--TEST--
serializer=igbinary
--SKIPIF--
<?php
extension_loaded('igbinary') or exit('skip needs igbinary');
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache('serializer=igbinary');
$c->setMultiple(['o' => new ArrayObject([1, 2]), 'a' => ['x' => new stdClass()], 'plain' => ['x' => 1], 'n' => 3]);
same('igbinary', $c->find('o')->encoding, 'objects');
same([1, 2], $c->get('o')->getArrayCopy(), 'objects');
same('igbinary', $c->find('a')->encoding, 'arrays with objects');
same('array', $c->find('plain')->encoding, 'other arrays by the codec');
same(4, $c->increment('n'), 'counters count');
same(4, $c->get('n'), 'and come back as int');
same([1, 2], cache()->get('o')->getArrayCopy(), 'readable without the option');
final class Uninitialised { public int $x; }
$c->set('u', new Uninitialised());
same(Uninitialised::class, get_class($c->get('u')), 'an uninitialised typed property');
echo 'done';
?>
--EXPECT--
done
