--TEST--
Reported faults: many processes race for a lock
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
// laravel/framework#43627
$c = cache();
for ($i = 0; $i < 64; $i++) {
    $children[$i] = pcntl_fork();
    if ($children[$i] === 0) {
        $lock = $c->lock('x', INF, "process $i");
        if ($lock->acquire()) {
            $c->increment('winners');
        }
        posix_kill(getmypid(), 9);
    }
}
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
}
same([1, true], [$c->get('winners'), $c->lock('x')->isLocked()], 'exactly one');
echo 'done';
?>
--EXPECT--
done
