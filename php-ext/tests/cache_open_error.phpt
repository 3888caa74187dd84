--TEST--
Cache::open(): what can't be used is named
--FILE--
<?php
require __DIR__ . '/setup.inc';
use Coppice\Cache;
const BAD = Coppice\InvalidArgumentException::class;
throws(BAD, 'unknown scheme "redis:"', fn () => Cache::open('redis://127.0.0.1:6379'));
throws(BAD, 'unknown scheme "memcached:"', fn () => Cache::open('memcached://x'));
throws(BAD, 'no scheme', fn () => Cache::open('local'));
throws(BAD, 'no scheme', fn () => Cache::open(''));
throws(BAD, 'absolute path', fn () => Cache::open('unix://'));
throws(BAD, 'no host', fn () => Cache::open('unix://host/run/x.sock'));
throws(BAD, '107 bytes', fn () => Cache::open('unix:///' . str_repeat('x', 120)));
throws(BAD, 'NUL', fn () => Cache::open('unix:///run/%00x'));
throws(BAD, 'percent-encoded', fn () => Cache::open('unix:///run/%zz'));
throws(BAD, 'unknown option "colour" for local:', fn () => Cache::open('local:?colour=red'));
throws(BAD, 'unknown option "max_memory" for unix:', fn () => Cache::open('unix:///run/x.sock?max_memory=1M'));
throws(BAD, 'unknown option "db" for local:', fn () => Cache::open('local:', ['db' => 1]));
throws(BAD, 'has no value', fn () => Cache::open('local:?prefix'));
throws(BAD, 'option max_memory can\'t be "much"', fn () => Cache::open('local:?max_memory=much'));
throws(BAD, 'option max_memory can\'t be "1K"', fn () => Cache::open('local:?max_memory=1K'));
throws(BAD, 'option max_memory can\'t be "99999999999999999999G"', fn () => Cache::open('local:?max_memory=99999999999999999999G'));
throws(BAD, 'option max_value can\'t be "512M"', fn () => Cache::open('local:?max_value=512M'));
throws(BAD, 'option policy can\'t be "lru"', fn () => Cache::open('local:?policy=lru'));
throws(BAD, 'option on_error can\'t be "ignore"', fn () => Cache::open('local:', ['on_error' => 'ignore']));
throws(BAD, 'option serializer can\'t be "json"', fn () => Cache::open('local:?serializer=json'));
throws(BAD, 'option timeout can\'t be "-1"', fn () => Cache::open('unix:///run/x.sock', ['timeout' => -1]));
throws(BAD, 'option db can\'t be "64"', fn () => Cache::open('unix:///run/x.sock', ['db' => 64]));
throws(BAD, 'option owner_uid can\'t be "me"', fn () => Cache::open('unix:///run/x.sock?owner_uid=me'));
throws(BAD, 'must be a string', fn () => Cache::open('local:', ['prefix' => []]));
throws(BAD, 'by name', fn () => Cache::open('local:', ['x']));
throws(BAD, 'class names', fn () => Cache::open('local:', ['allowed_classes' => [1]]));
throws(BAD, 'prefix is longer', fn () => Cache::open('local:', ['prefix' => str_repeat('p', 4096)]));
foreach (['on_error' => 'x', 'serializer' => 'x', 'max_memory' => '12Q', 'allowed_classes' => ','] as $name => $value) {
    $before = ini_set("coppice.$name", $value);
    throws(BAD, "setting coppice.$name", fn () => Cache::open('local:'));
    ini_set("coppice.$name", $before);
}
try {
    Cache::open('unix://user:secret@/run/x.sock?colour=red', ['password' => 'secret']);
} catch (Coppice\CacheException $e) {
    same(false, str_contains((string) $e, 'secret'), 'no password in the message or the trace');
}
throws(Error::class, 'private', fn () => new Cache());
throws(Error::class, 'uncloneable', fn () => clone Cache::open('local:'));
throws(Exception::class, 'not allowed', fn () => serialize(Cache::open('local:')));
throws(Error::class, 'dynamic property', fn () => Cache::open('local:')->x = 1);
echo 'done';
?>
--EXPECT--
done
