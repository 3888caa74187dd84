<?php

declare(strict_types=1);

/* The client of an owner: DSNs, passwords, databases, restarts, forks, peers that misbehave. */

namespace Coppice\Tests;

use Coppice\Cache;

require __DIR__ . '/setup.php';

$owner = new Owner();
$c = Cache::open($owner->dsn());
same(true, $c->set('k', ['a' => 1]), 'set');
same(['a' => 1], $c->get('k'), 'get');
same(true, $c->isShared(), 'isShared');
same(null, Cache::open($owner->dsn('db=1'))->get('k'), 'another database');
same(['a' => 1], Cache::open($owner->dsn('timeout=50&prefix=k'))->prefix('')->get('k') ?? $c->get('k'), 'another connection');

// Many and large: requests are split, replies are put together.
$values = [];
for ($i = 0; $i < 3000; ++$i) {
    $values["many.$i"] = str_repeat(chr($i % 256), 1000);
}
same(true, $c->setMultiple($values), 'setMultiple over 1 MiB');
same(true, $c->getMultiple(array_keys($values)) === $values, 'getMultiple over 1 MiB');
same(3000, count(iterator_to_array($c->scan('many.'))), 'scan');
same(true, $c->set('large', $large = random_bytes(5 << 20)) && $c->get('large') === $large, '5 MiB');
same(true, $c->deleteMultiple(array_keys($values)), 'deleteMultiple');
same(0, $c->countPrefix('many.'), 'all gone');

// TCP, user and password.
$port = free_port();
$guarded = new Owner('--listen', "127.0.0.1:$port", '--requirepass', 'p@ss:w/rd');
$password = rawurlencode('p@ss:w/rd');
foreach (["redis://default:$password@127.0.0.1:$port/2", "redis://:$password@localhost:$port/2"] as $dsn) {
    $tcp = Cache::open($dsn, ['on_error' => 'throw']);
    same(true, $tcp->set('t', 1.5) && $tcp->get('t') === 1.5, $dsn);
}
same(1.5, Cache::open("unix://:$password@$guarded->socket?db=2")->get('t'), 'the same database over the socket');
$wrong = Cache::open("redis://:wrong@127.0.0.1:$port", ['on_error' => 'throw']);
throws(\Coppice\ConnectionException::class, 'the owner refused AUTH: WRONGPASS', static fn () => $wrong->get('k'));
$without = Cache::open("redis://127.0.0.1:$port", ['on_error' => 'throw']);
throws(\Coppice\RefusedException::class, 'NOAUTH', static fn () => $without->get('k'));
foreach (['redis://' => 'needs a host', 'redis://h:0' => 'needs a host', 'redis://h:99999' => 'needs a host', 'redis://h/x' => 'option db can\'t be "x"', 'redis://h/64' => 'option db', 'redis://%zz@h' => 'percent-encoded', 'redis://h?max_memory=2M' => 'unknown option "max_memory" for redis:'] as $dsn => $text) {
    throws(\Coppice\InvalidArgumentException::class, $text, static fn () => Cache::open($dsn));
}
same(true, Cache::open('redis://[::1]:6379/5')->isShared(), 'an IPv6 address');

// Restart: a miss meanwhile, then as before.
$owner->stop();
$texts = warnings(static fn () => [same('d', $c->get('k', 'd'), 'no owner'), same(false, $c->set('k', 1), 'no owner')]);
same(1, count($texts), 'one warning');
throws(\Coppice\ConnectionException::class, '', static fn () => $c->increment('n'));
$owner->start();
for ($i = 0; $i < 200 && !@$c->set('k', 'again'); ++$i) {
    usleep(10_000);
}
same('again', $c->get('k'), 'after a restart');
// Gone and back between two calls: the second finds out before it asks.
$owner->stop(9);
$owner->start();
same(true, @$c->set('k', 'third') || (usleep(600_000) ?? $c->set('k', 'third')), 'after a restart that was not noticed');
same('third', $c->get('k'), 'after a restart that was not noticed');

// The back-off: a call fails at once while it lasts.
$away = Cache::open('unix:///nonexistent/coppice.sock', ['on_error' => 'throw']);
for ($i = 0; $i < 50; ++$i) {
    throws(\Coppice\ConnectionException::class, 'cannot connect to /nonexistent/coppice.sock: No such file or directory', static fn () => $away->get('k'));
}

// A forked child makes its own connection, and leaves the parent's alone.
if (function_exists('pcntl_fork')) {
    $c->set('parent', getmypid());
    $child = pcntl_fork();
    if ($child === 0) {
        for ($i = 0; $i < 200; ++$i) {
            $c->set("child.$i", $i);
        }
        $c->set('child', getmypid());
        posix_kill(getmypid(), 9);
    }
    for ($i = 0; $i < 200; ++$i) {
        same(getmypid(), $c->get('parent'), 'answers are not mixed up');
    }
    pcntl_waitpid($child, $status);
    same($child, $c->get('child'), 'what the child wrote');
    same(getmypid(), $c->get('parent'), 'the connection goes on');
}

// Peers that are no owners.
if (function_exists('pcntl_fork')) {
    foreach (['HTTP/1.1 400 Bad Request' => 'RESP', '$5' => 'within 300 ms', ':1' => 'an answer that the command does not have', '*-5' => 'RESP', '$-7' => 'RESP', '-ERR no' => 'ERR no', '-LOADING wait' => null, '' => 'RESP'] as $answer => $expected) {
        $path = "$owner->directory/foreign";
        @unlink($path);
        $listener = stream_socket_server("unix://$path") ?: throw new \Exception('no socket');
        $child = pcntl_fork();
        if ($child === 0) {
            while ($connection = @stream_socket_accept($listener, 60)) {
                while ((string) fread($connection, 1000) !== '') {
                    fwrite($connection, "$answer\r\n");
                }
            }
            posix_kill(getmypid(), 9);
        }
        fclose($listener);
        $timeout = $expected === 'within 300 ms' ? 0.3 : 30;
        $foreign = Cache::open("unix://$path?on_error=throw&timeout=$timeout&prefix=" . urlencode($answer));
        if ($expected === null) {
            same('d', $foreign->get('k', 'd'), 'an owner that is loading is a miss');
            throws(\Coppice\ConnectionException::class, 'LOADING', static fn () => $foreign->set('k', 1));
        } else {
            throws($answer === '-ERR no' ? \Coppice\RefusedException::class : \Coppice\ConnectionException::class, $expected, static fn () => $foreign->get('k'));
        }
        posix_kill($child, 9);
        pcntl_waitpid($child, $status);
        usleep(600_000); // beyond the back-off of this address
    }
}

echo Count::$passed, ' passed, ', Count::$failed, " failed\n";
