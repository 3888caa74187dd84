--TEST--
Cache::open(): auto: is the environment's COPPICE_DSN where there is no setting
--SKIPIF--
<?php
require __DIR__ . '/skip_local.inc';
?>
--ENV--
COPPICE_DSN=local:env?prefix=e.
--FILE--
<?php
require __DIR__ . '/setup.inc';
Coppice\Cache::open()->set('k', 1);
same(['e.k'], Coppice\Cache::open('local:env')->keys(), 'the variable');
ini_set('coppice.dsn', 'local:setting');
same(null, Coppice\Cache::open('auto:')->get('k'), 'the setting wins');
throws(Coppice\InvalidArgumentException::class, 'auto: DSN has no options', fn () => Coppice\Cache::open('auto:?prefix=x'));
echo 'done';
?>
--EXPECT--
done
