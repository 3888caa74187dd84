--TEST--
Cache::remember(): whatever removes the key meanwhile revokes the lease, also where there is nothing to remove
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$computing = function (string $key, callable $meanwhile, float $beta = 1.0) use ($c): array {
    $value = $c->remember($key, 60, function () use ($meanwhile) {
        $meanwhile();
        return 'old';
    }, $beta);
    return [$value, $c->has($key)];
};
$c->set('tagged', 'older', 60, ['t']);
same(['old', false], $computing('tagged', fn () => $c->invalidateTags('t'), INF), 'the tag of the old value');
$c->set('other', 'older', 60, ['u']);
same(['old', true], $computing('other', fn () => $c->invalidateTags('t'), INF), 'a tag that it does not have');
foreach (['delete' => fn ($k) => $c->delete($k), 'touch' => fn ($k) => $c->touch($k, 0), 'set' => fn ($k) => $c->set($k, 1, 0), 'add' => fn ($k) => $c->add($k, 1, -1), 'pull' => fn ($k) => $c->pull($k), 'deleteMultiple' => fn ($k) => $c->deleteMultiple([$k])] as $how => $remove) {
    same(['old', false], $computing($how, fn () => $remove($how)), $how);
}
same(['old', true], $computing('later', fn () => $c->touch('later', 60)), 'a TTL for what is not there');
// skip() counts until the value is stored.
class Late
{
    public static ?Coppice\Pending $pending = null;
    public function __serialize(): array { self::$pending->skip(); return []; }
    public function __unserialize(array $data): void {}
}
$c->remember('skipped', 60, function (Coppice\Pending $p) { Late::$pending = $p; return new Late(); });
same(false, $c->has('skipped'), 'skip() while it is encoded');
echo 'done';
?>
--EXPECT--
done
