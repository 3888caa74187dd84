--TEST--
Reported faults: stampedes
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
// symfony/symfony#62328: keys that share a lock by their hash
$keys = [];
for ($i = 0; count($keys) < 2; $i++) {
    if (abs(crc32("key$i")) % 25 === 3) {
        $keys[] = "key$i";
    }
}
$ran = [];
$c->remember($keys[0], 60, function () use ($c, $keys, &$ran) {
    $ran[] = 0;
    $c->remember($keys[1], 60, function () use (&$ran) { $ran[] = 1; return 'b'; }, beta: INF);
    return 'a';
}, beta: INF);
same([[0, 1], 'a', 'b'], [$ran, $c->get($keys[0]), $c->get($keys[1])], 'both ran, both are stored');
// laravel/framework#60626: the same name in two groups
$groups = [$c->prefix('g1.'), $c->prefix('g2.')];
foreach ($groups as $i => $group) {
    $group->remember('k', 0.01, fn () => "old $i", stale: 60);
}
usleep(50_000);
$inner = null;
same('new 0', $groups[0]->remember('k', 60, function () use ($groups, &$inner) {
    $inner = $groups[1]->remember('k', 60, fn () => 'new 1', stale: 60);
    return 'new 0';
}, stale: 60), 'each is refreshed');
same('new 1', $inner, 'whatever the other does');
echo 'done';
?>
--EXPECT--
done
