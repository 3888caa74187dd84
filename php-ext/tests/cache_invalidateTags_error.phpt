--TEST--
Tags: bad input
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', 1, tags: ['t']);
$long = str_repeat('x', 1025);
$invalid = Coppice\InvalidArgumentException::class;
foreach (['set', 'add', 'replace'] as $method) {
    throws($invalid, 'a tag is empty', fn () => $c->$method('k', 2, tags: ['a', '']));
    throws($invalid, 'a tag has 1025 bytes; 1024 are the limit', fn () => $c->$method('k', 2, null, [$long]));
    throws($invalid, 'a tag must be a string, int given', fn () => $c->$method('k', 2, null, [5]));
    throws(TypeError::class, 'must be of type array, string given', fn () => $c->$method('k', 2, null, 'tag'));
}
throws($invalid, 'a tag is empty', fn () => $c->setMultiple(['k' => 2], tags: ['']));
throws($invalid, 'a tag is empty', fn () => $c->invalidateTags('t', ''));
throws($invalid, 'a tag has 1025 bytes', fn () => $c->invalidateTags($long));
throws(TypeError::class, 'must be of type string, array given', fn () => $c->invalidateTags([]));
$many = array_map(fn ($i) => "tag $i", range(0, 4096));
throws($invalid, 'tags', fn () => $c->set('k', 2, null, $many));
throws($invalid, 'tags', fn () => $c->setMultiple(['k' => 2, 'new' => 3], null, $many));
same([1, ['t'], false, 1], [$c->get('k'), $c->find('k')->tags, $c->has('new'), $c->stats()['tags']], 'nothing was done');
final class Spoils { public function __serialize(): array { $GLOBALS['tag'] = ''; return []; } }
$tag = 'good';
$tags = [&$tag];
same(true, $c->set('s', new Spoils(), null, $tags), 'what the value\'s own code does to the list');
same([], $c->find('s')->tags, 'is seen, and harmless');
echo 'done';
?>
--EXPECT--
done
