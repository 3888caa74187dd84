--TEST--
serializer=igbinary can't honour allowed_classes
--SKIPIF--
<?php
extension_loaded('igbinary') or exit('skip needs igbinary');
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
cache('serializer=igbinary')->set('o', new ArrayObject());
$restricted = cache('', ['allowed_classes' => false]);
same(true, str_contains(warnings(fn () => same('d', $restricted->get('o', 'd'), 'a miss'))[0], 'igbinary, which can\'t honour allowed_classes'), 'says why');
$both = cache('serializer=igbinary', ['allowed_classes' => ['ArrayObject']]);
$both->set('o', new ArrayObject());
same('serialized', $both->find('o')->encoding, 'then serialize() is used');
if (is_shared_run()) {
    Owner::common()->command('TSET', 'k', '8', "\0\0\0\2garbage");
    same('d', @cache()->get('k', 'd'), 'damaged bytes are a miss');
}
echo 'done';
?>
--EXPECT--
done
