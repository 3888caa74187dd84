--TEST--
A local store survives requests
--SKIPIF--
<?php
require __DIR__ . '/skip_local.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$directory = sys_get_temp_dir() . '/coppice-requests-' . getmypid();
mkdir($directory);
file_put_contents("$directory/index.php", <<<'PHP'
<?php
$c = Coppice\Cache::open('local:');
$rows = [['id' => 1, 'name' => 'x'], ['id' => 2, 'name' => 'y']];
if ($c->has('rows') && ($c->get('rows') !== $rows || $c->get('object')->getArrayCopy() !== [1])) {
    exit('damaged');
}
$c->set('rows', $rows);
$c->set('object', new ArrayObject([1]));
@Coppice\Cache::open('unix:///nonexistent/s')->get('k');
register_shutdown_function(function () use ($c) { $c->get('rows'); });
$GLOBALS['keep'] = new class($c) { function __construct(public $c) {} function __destruct() { $this->c->get('rows'); } };
echo $c->increment('requests'), ' ', error_get_last() === null ? 'quiet' : 'warned';
if (function_exists('opcache_reset')) {
    opcache_reset();  // the next request finds other interned strings
}
if (isset($_GET['die'])) {
    str_repeat('x', PHP_INT_MAX >> 8);
}
PHP);
$opcache = is_file(ini_get('extension_dir') . '/opcache.so') ? ['-d', 'zend_extension=opcache', '-d', 'opcache.enable=1'] : [];
$command = [PHP_BINARY, '-n', ...$opcache, ...test_extension(), '-d', 'memory_limit=64M', '-d', 'display_errors=0', '-S', $address = '127.0.0.1:' . free_port(), '-t', $directory];
$server = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
for ($i = 0; $i < 200 && !($probe = @stream_socket_client("tcp://$address")); ++$i) {
    usleep(10_000);
}
fclose($probe);
for ($i = 1; $i <= 20; ++$i) {
    $got = file_get_contents("http://$address/" . ($i % 5 === 0 ? '?die=1' : ''), false, stream_context_create(['http' => ['ignore_errors' => true]]));
    if ($i % 5 !== 0) {
        same("$i warned", $got, 'one counter, one warning in each request');
    }
}
proc_terminate($server);
proc_close($server);
unlink("$directory/index.php");
rmdir($directory);
echo 'done';
?>
--EXPECT--
done
