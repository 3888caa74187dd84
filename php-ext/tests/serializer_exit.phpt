--TEST--
exit() in a handler ends the request quietly
--FILE--
<?php
require __DIR__ . '/setup.inc';
final class Exits { public function __unserialize(array $data): void { exit("out\n"); } public function __serialize(): array { return []; } }
$c = cache('', ['on_error' => 'throw']);
$c->set('k', [new Exits()]);
$c->get('k');
echo 'done';
?>
--EXPECT--
out
