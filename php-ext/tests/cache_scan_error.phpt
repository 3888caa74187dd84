--TEST--
Cache::scan(): bad input, and by reference
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
throws(Coppice\InvalidArgumentException::class, 'negative', fn () => $c->scan('', null, -1));
throws(Error::class, 'by reference', function () use ($c) {
    foreach ($c->scan() as &$v) {
    }
});
throws(Error::class, 'private', fn () => new Coppice\Scan());
echo 'done';
?>
--EXPECT--
done
