--TEST--
A local store after fork(): each process has its own copy
--SKIPIF--
<?php
require __DIR__ . '/skip_local.inc';
extension_loaded('pcntl') or exit('skip needs pcntl');
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', 'parent');
$child = pcntl_fork();
if ($child === 0) {
    $ok = $c->get('k') === 'parent' && $c->set('k', 'child') && $c->get('k') === 'child';
    for ($i = 0; $i < 1000; ++$i) {
        $ok = $ok && $c->set("x$i", str_repeat('x', $i));
    }
    posix_kill(getmypid(), $ok ? 9 : 15);
}
pcntl_waitpid($child, $status);
same(9, pcntl_wtermsig($status), 'the child\'s copy works');
same('parent', $c->get('k'), 'the parent\'s is untouched');
same(1, $c->countPrefix(), 'the parent\'s is untouched');
echo 'done';
?>
--EXPECT--
done
