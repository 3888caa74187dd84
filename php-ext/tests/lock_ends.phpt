--TEST--
Locks and leases end with the object and with the request, however that ends
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
function fill(Coppice\Cache $c): ?string { $lock = $c->lock('l'); return $lock->acquire() ? null : 'held'; }
same([null, null], [fill($c), fill($c)], 'with the function\'s variable');
try {
    (function () use ($c) {
        $lock = $c->lock('l');
        $lock->acquire();
        throw new Exception();
    })();
} catch (Exception $e) {
    unset($e);
}
same(null, fill($c), 'with an exception');
if (is_shared_run()) {
    $ends = [
        'exit' => 'exit;',
        'fatal' => 'function f() {} eval("function f() {}");',
        'memory' => 'ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);',
        'timeout' => 'set_time_limit(1); for (;;);',
        'kill' => 'posix_kill(getmypid(), 9);',
        'uncaught' => 'throw new Exception();',
    ];
    foreach ($ends as $name => $end) {
        foreach (['$l = $c->lock("l"); $l->acquire() || die("held"); ' . $end, '$c->remember("k", 60, function () { global $end; ' . $end . ' });'] as $code) {
            $process = proc_open([PHP_BINARY, '-n', ...test_extension(), '-d', 'extension=posix', '-r', '$c = Coppice\Cache::open($argv[1]); ' . $code, '--', dsn()], [1 => ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
            proc_close($process);
            $start = microtime(true);
            $lock = $c->lock('l');
            same(true, $lock->acquire(5), "$name ends a lock");
            $lock->release();
            same('mine', $c->remember('k', 60, fn () => 'mine', wait: 30), "$name ends a lease");
            same('mine', $c->get('k'), "$name ends a lease");
            same(true, microtime(true) - $start < 5, "$name: at once");
            $c->delete('k');
        }
    }
}
// Over the end of a request: what is global ends with it.
$GLOBALS['kept'] = $c->lock('kept');
$GLOBALS['kept']->acquire();
echo 'done';
?>
--EXPECT--
done
