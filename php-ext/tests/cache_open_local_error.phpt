--TEST--
Cache::open(): a local store is made once, and contradicting options are an error
--SKIPIF--
<?php
require __DIR__ . '/skip_local.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
use Coppice\Cache;
const BAD = Coppice\InvalidArgumentException::class;
Cache::open('local:?max_memory=8M&max_value=1M&policy=noeviction')->set('a', 1);
same(1, Cache::open('local:')->get('a'), 'without options');
same(1, Cache::open('local:?max_memory=8192K')->get('a'), 'the same size');
throws(BAD, 'max_memory=8388608, not 16777216', fn () => Cache::open('local:?max_memory=16M'));
throws(BAD, 'max_value=1048576, not 1024', fn () => Cache::open('local:?max_value=1K'));
throws(BAD, 'policy=noeviction, not allkeys-lru', fn () => Cache::open('local:?policy=allkeys-lru'));
same(null, Cache::open('local:other?max_memory=16M')->get('a'), 'another name is another store');
echo 'done';
?>
--EXPECT--
done
