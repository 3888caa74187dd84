--TEST--
Cache::set(): values that can't be stored leave the old one
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', 'old');
const REFUSED = Coppice\SerializationException::class;
throws(REFUSED, 'key "k" can\'t be stored: its serialization threw', fn () => $c->set('k', fn () => 1));
throws(REFUSED, 'a resource', fn () => $c->set('k', fopen('php://memory', 'r')));
throws(REFUSED, 'a resource', fn () => $c->set('k', [[fopen('php://memory', 'r')]]));
throws(REFUSED, 'a resource', fn () => $c->set('k', [new ArrayObject(), fopen('php://memory', 'r')]));
throws(REFUSED, 'serialization threw', fn () => $c->set('k', ['x' => fn () => 1]));
$recursive = [1];
$recursive['self'] = &$recursive;
throws(REFUSED, 'contains itself', fn () => $c->set('k', $recursive));
$deep = 1;
for ($i = 0; $i < 1025; ++$i) {
    $deep = [$deep];
}
throws(REFUSED, 'nested more than 1024 deep', fn () => $c->set('k', $deep));
same(true, $c->set('deep', $deep[0]), '1024 levels');
same($deep[0], $c->get('deep'), '1024 levels');
throws(REFUSED, 'key "\x00' . "\xff" . '"', fn () => $c->set("\0\xff", fn () => 1));
try {
    $c->set('k', fn () => 1);
} catch (Coppice\CacheException $e) {
    same("Serialization of 'Closure' is not allowed", $e->getPrevious()->getMessage(), 'the reason');
}
throws(Coppice\InvalidKeyException::class, 'the key is empty', fn () => $c->set('', 1));
same('old', $c->get('k'), 'the old value');
same(false, $c->has("\0\xff"), 'nothing new');
echo 'done';
?>
--EXPECT--
done
