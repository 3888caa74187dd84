--TEST--
Forked children use their own connection
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('before', 1);
for ($n = 0; $n < 4; ++$n) {
    $children[$n] = pcntl_fork();
    if ($children[$n] === 0) {
        $wrong = 0;
        for ($i = 0; $i < 500; ++$i) {
            $c->set("own.$n", $i);
            $wrong += $c->get("own.$n") !== $i;
            $wrong += $c->increment("count.$n") !== $i + 1;
        }
        $wrong += $c->get('before') !== 1;
        $c->set("wrong.$n", $wrong);
        posix_kill(getmypid(), 9);  // no destructors of the parent's objects here
    }
}
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
}
same([0, 0, 0, 0], array_values($c->getMultiple(['wrong.0', 'wrong.1', 'wrong.2', 'wrong.3'])), 'no child read another\'s answer');
same(true, $c->set('after', 1), 'the parent goes on');
same(4, $c->countPrefix('count.'), 'the parent goes on');
echo 'done';
?>
--EXPECT--
done
