--TEST--
The password of the DSN
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$owner = new Owner('--requirepass', 'se:cr/et@');
$c = Coppice\Cache::open('unix://default:se%3Acr%2Fet%40@' . $owner->socket);
same(true, $c->set('k', 1), 'percent-encoded in the DSN');
same(1, Coppice\Cache::open('unix://' . $owner->socket, ['password' => 'se:cr/et@'])->get('k'), 'as an option');
foreach ([[], ['password' => 'wrong']] as $options) {
    throws(Coppice\ConnectionException::class, '', fn () => Coppice\Cache::open('unix://' . $owner->socket . '?on_error=throw', $options)->get('k'));
}
echo 'done';
?>
--EXPECT--
done
