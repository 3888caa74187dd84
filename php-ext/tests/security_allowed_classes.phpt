--TEST--
allowed_classes: nothing else is woken
--FILE--
<?php
require __DIR__ . '/setup.inc';
final class Gadget { public function __wakeup() { echo "FAILED woken\n"; } public function __destruct() { global $quiet; if (empty($quiet)) echo "FAILED destroyed\n"; } }
final class Friend { public $x = 1; }
$quiet = true;
cache()->setMultiple(['friend' => new Friend()]);
if (is_shared_run()) {
    Owner::common()->command('TSET', 'gadget', '7', 'O:6:"Gadget":0:{}');
    Owner::common()->command('SET', 'plain', 'O:6:"Gadget":0:{}');
} else {
    $g = (new ReflectionClass(Gadget::class))->newInstanceWithoutConstructor();
    cache()->set('gadget', $g);
    cache()->set('plain', 'O:6:"Gadget":0:{}');
    unset($g);
}
$quiet = false;
$none = cache('', ['allowed_classes' => false]);
same('__PHP_Incomplete_Class', get_class($none->get('gadget')), 'false');
same('__PHP_Incomplete_Class', get_class($none->get('friend')), 'false');
same('__PHP_Incomplete_Class', get_class(cache('', ['allowed_classes' => []])->get('gadget')), 'an empty list');
$list = cache('', ['allowed_classes' => ['\\FRIEND', 'Other']]);
same('Friend', get_class($list->get('friend')), 'a list');
same('__PHP_Incomplete_Class', get_class($list->get('gadget')), 'a list');
same('__PHP_Incomplete_Class', get_class($list->prefix('gad')->get('get')), 'views keep it');
same('Friend', get_class(cache('allowed_classes=Friend,Other')->get('friend')), 'in the DSN');
ini_set('coppice.allowed_classes', '0');
same('__PHP_Incomplete_Class', get_class(cache()->get('gadget')), 'coppice.allowed_classes');
ini_set('coppice.allowed_classes', '1');
same('O:6:"Gadget":0:{}', cache()->get('plain'), 'a string is never decoded');
echo 'done';
?>
--EXPECT--
done
