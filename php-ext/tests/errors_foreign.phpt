--TEST--
A socket that is no owner's: an error that says what is wrong
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$number = 0;
foreach (['HTTP/1.1 400 Bad Request' => 'RESP', '-NOPROTO unsupported ATTACH protocol 1; this owner speaks 2' => 'NOPROTO', '+OK' => 'ATTACH',
    "-LOADING Redis is loading the dataset in memory" => null] as $answer => $expected) {
    $path = sys_get_temp_dir() . '/coppice-foreign-' . getmypid() . '-' . ++$number;
    $listener = stream_socket_server('unix://' . $path);
    $child = pcntl_fork();
    if ($child === 0) {
        while ($connection = @stream_socket_accept($listener, 5)) {
            fread($connection, 1000);
            fwrite($connection, $answer . "\r\n");
            fread($connection, 1000);
            fclose($connection);
        }
        posix_kill(getmypid(), 9);
    }
    fclose($listener);
    $c = Coppice\Cache::open("unix://$path?on_error=throw&timeout=2");
    // A read does not wait long for an owner that is slow to answer: ask until it has.
    for ($i = 0; $i < 300; ++$i) {
        try {
            $got = $c->get('k', 'd');
        } catch (Coppice\ConnectionException $e) {
            $got = $e->getMessage();
        }
        if (str_contains($got, $expected ?? 'd') && !str_contains($got, 'not answered')) {
            break;
        }
        usleep(10_000);
    }
    same(true, str_contains($got, $expected ?? 'd'), "$answer: $got");
    if ($expected === null) {
        same('d', $got, 'an owner that is loading is a miss');
        throws(Coppice\ConnectionException::class, 'LOADING', fn () => $c->set('k', 1));
    }
    posix_kill($child, 9);
    pcntl_waitpid($child, $status);
    unlink($path);
}
echo 'done';
?>
--EXPECT--
done
