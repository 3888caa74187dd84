--TEST--
Forked children have no part in their parent's locks and leases
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$lock = $c->lock('bound');
$token = $c->lock('token', 60, 'known');
$lock->acquire();
$token->acquire();
$fence = $lock->fence();
$in_child = function (callable $what): void {
    $child = pcntl_fork();
    if ($child === 0) {
        $what();
        exit(0);
    }
    pcntl_waitpid($child, $status);
    same(0, $status, 'the child');
};
$in_child(function () {});
same(true, $lock->isHeld(), 'the end of the child\'s copy ends nothing');
$owner = $lock->owner();
$in_child(function () use ($lock, $c, $owner) {
    same([false, false, true], [$lock->isHeld(), $lock->release(), $lock->owner() !== $owner], 'a bound lock is another one there');
    same([0, is_shared_run() ? false : true], [$lock->fence(), $lock->acquire()], 'and not held');
    unset($lock);
});
same([true, $fence], [$lock->isHeld(), $lock->fence()], 'the parent still holds it');
if (is_shared_run()) {
    $in_child(function () use ($token) {
        same([true, true], [$token->isHeld(), $token->release()], 'a token is as good there');
    });
    same(false, $token->isHeld(), 'a token is as good there');
}
// A child that goes on with its parent's computation stores nothing; the parent's lease stays.
$value = $c->remember('k', 60, function () use (&$child) {
    $child = pcntl_fork();
    return $child === 0 ? 'child' : 'parent';
});
if ($child === 0) {
    same('child', $value, 'the child has its value');
    exit(0);
}
pcntl_waitpid($child, $status);
same([0, 'parent', 'parent'], [$status, $value, $c->get('k')], 'the parent\'s is stored');
echo 'done';
?>
--EXPECT--
done
