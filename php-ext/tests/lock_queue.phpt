--TEST--
Lock::acquire(): processes wait in a queue, and nobody polls
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$lock = $c->lock('n', 60);
$lock->acquire();
for ($i = 0; $i < 8; $i++) {
    $children[$i] = pcntl_fork();
    if ($children[$i] === 0) {
        $mine = $c->lock('n', 60);
        $c->increment('ready');
        $before = getrusage();
        $granted = $mine->acquire(30);
        $after = getrusage();
        $place = $c->increment('place');
        $c->set("child.$i", [$granted, $place, $mine->fence()]);
        $used = ($after['ru_utime.tv_sec'] + $after['ru_stime.tv_sec'] - $before['ru_utime.tv_sec'] - $before['ru_stime.tv_sec']) * 1e6
            + $after['ru_utime.tv_usec'] + $after['ru_stime.tv_usec'] - $before['ru_utime.tv_usec'] - $before['ru_stime.tv_usec'];
        $c->increment('used', (int) $used);
        exit(0);
    }
    // One after the other into the queue.
    while ((int) $c->get('ready') <= $i) {
        usleep(1000);
    }
    usleep(20_000);
}
usleep(200_000);
same(0, $c->countPrefix('child.'), 'nobody has it yet');
$lock->release();
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
}
$last = 0;
for ($i = 0; $i < 8; $i++) {
    [$granted, $place, $fence] = $c->get("child.$i");
    same([true, $i + 1, true], [$granted, $place, $fence > $last], 'in the order in which they came');
    $last = $fence;
}
same(true, $c->get('used') < 200_000, 'they slept');
same(false, $lock->isLocked(), 'each ended with its process');
// One that does not come to its turn in time.
$lock->acquire();
$child = pcntl_fork();
if ($child === 0) {
    $start = microtime(true);
    $granted = $c->lock('n')->acquire(0.2);
    exit($granted || microtime(true) - $start < 0.2 ? 1 : 0);
}
pcntl_waitpid($child, $status);
same([0, true], [$status, $lock->isHeld()], 'a wait ends');
echo 'done';
?>
--EXPECT--
done
