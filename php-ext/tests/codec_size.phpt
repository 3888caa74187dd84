--TEST--
The array codec: the array of the standard workload takes at most 20 bytes
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', ['id' => 999_999, 'score' => 65_535]);
same(true, $c->find('k')->bytes <= 20, 'bytes');
same(20, $c->find('k')->bytes, 'bytes');
echo 'done';
?>
--EXPECT--
done
