--TEST--
A write is seen by the first read of another process
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', 0);
$sockets = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$child = pcntl_fork();
if ($child === 0) {
    while (($line = fgets($sockets[1])) !== false && $line !== "end\n") {
        fwrite($sockets[1], $c->get('k') === (int) $line ? "fresh\n" : "stale\n");
    }
    posix_kill(getmypid(), 9);
}
for ($i = 1; $i <= 2000; ++$i) {
    $c->set('k', $i);
    fwrite($sockets[0], "$i\n");
    if (fgets($sockets[0]) !== "fresh\n") {
        echo "FAILED stale at $i\n";
        break;
    }
}
fwrite($sockets[0], "end\n");
pcntl_waitpid($child, $status);
echo 'done';
?>
--EXPECT--
done
