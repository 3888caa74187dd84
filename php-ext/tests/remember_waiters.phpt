--TEST--
Several processes: one computes, the others wait
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
/** Runs $what(number) in $n processes that begin together; what they printed. */
function together(int $n, callable $what): array
{
    $files = [];
    for ($i = 0; $i < $n; $i++) {
        $files[$i] = tempnam(sys_get_temp_dir(), 'coppice-test');
        $children[$i] = pcntl_fork();
        if ($children[$i] === 0) {
            ob_start(fn () => '');
            file_put_contents($files[$i], json_encode($what($i)));
            exit(0);
        }
    }
    foreach ($children as $child) {
        pcntl_waitpid($child, $status);
    }
    return array_map(function (string $file) {
        $text = file_get_contents($file);
        unlink($file);
        return json_decode($text, true);
    }, $files);
}
$slow = function () use ($c) { $c->increment('calls'); usleep(200_000); return 'v'; };
same(array_fill(0, 64, 'v'), together(64, fn () => $c->remember('cold', 60, $slow)), 'all have the value');
same(1, $c->get('calls'), 'one computed');

$c->remember('stale', 0.01, fn () => 'old', stale: 60);
usleep(50_000);
$seen = array_count_values(together(6, fn () => $c->remember('stale', 60, function () { usleep(300_000); return 'new'; }, stale: 60)));
same(['old' => 5, 'new' => 1], [...array_intersect_key($seen, ['old' => 1]), ...array_intersect_key($seen, ['new' => 1])], 'a stale value is served to all but one');

$seen = together(3, function (int $i) use ($c) {
    try {
        return $c->remember('throws', 60, function () use ($c) {
            usleep(50_000);
            return $c->increment('attempt') === 1 ? throw new Exception('first') : 'second';
        });
    } catch (Exception $e) {
        return $e->getMessage();
    }
});
sort($seen);
same(['first', 'second', 'second'], $seen, 'an exception is its caller\'s, and the next one computes');

$seen = together(4, function () use ($c) {
    $start = microtime(true);
    $value = $c->remember('impatient', 60, function () { usleep(600_000); return 'v'; }, wait: 0.05);
    return [$value, microtime(true) - $start < 5];
});
same(array_fill(0, 4, ['v', true]), $seen, 'who waits long enough computes by itself');

// In opposite order.
$seen = together(2, function (int $i) use ($c) {
    [$a, $b] = $i === 0 ? ['x', 'y'] : ['y', 'x'];
    $start = microtime(true);
    $value = $c->remember($a, 60, function () use ($c, $b) { usleep(100_000); return 'o' . $c->remember($b, 60, fn () => 'i'); }, wait: 30);
    return [$value[0], microtime(true) - $start < 2];
});
same(array_fill(0, 2, ['o', true]), $seen, 'nested in opposite order, nobody waits in a circle');
$seen = together(2, function (int $i) use ($c) {
    $start = microtime(true);
    if ($i === 0) {
        $lock = $c->lock('circle');
        $lock->acquire();
        usleep(100_000);
        $value = $c->remember('circle', 60, fn () => 'v', wait: 30);
    } else {
        usleep(50_000);
        $value = $c->remember('circle', 60, function () use ($c) { $c->lock('circle')->acquire(30); return 'v'; });
    }
    return [$value, microtime(true) - $start < 5];
});
same(array_fill(0, 2, ['v', true]), $seen, 'over a lock and a lease neither');
echo 'done';
?>
--EXPECT--
done
