--TEST--
Cache::open(): DSNs, options and settings
--FILE--
<?php
require __DIR__ . '/setup.inc';
use Coppice\Cache;
same(is_shared_run(), cache()->isShared(), 'isShared');
cache()->set('a', 1);
same(1, cache()->get('a'), 'handles of one DSN are one cache');
cache('prefix=shop.%2e')->set('x', 2);
same(2, cache()->get('shop..x'), 'prefix of the DSN, percent-decoded');
same(2, Cache::open(dsn('prefix=no.'), ['prefix' => 'shop..'])->get('x'), 'options win over the DSN');
same(2, Cache::open(dsn(), ['prefix' => 'shop..', 'on_error' => null])->get('x'), 'an option that is null is not given');
ini_set('coppice.prefix', 'shop..');
same(2, cache()->get('x'), 'coppice.prefix');
same(1, cache('prefix=')->get('a'), 'the DSN wins over coppice.prefix');
ini_set('coppice.prefix', '');
ini_set('coppice.dsn', dsn('prefix=shop..'));
same(2, Cache::open()->get('x'), 'auto: is coppice.dsn');
same(2, Cache::open('auto:')->get('x'), 'auto: by name');
foreach (['on_error' => 'throw', 'allowed_classes' => false, 'serializer' => 'php'] as $name => $value) {
    same(1, Cache::open(dsn(), [$name => $value])->get('a'), $name);
}
echo 'done';
?>
--EXPECT--
done
