--TEST--
The array codec: its keys outlive requests, and nothing of a request outlives them
--INI--
coppice.decoded_memory=0
--SKIPIF--
<?php
require __DIR__ . '/skip_local.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$directory = sys_get_temp_dir() . '/coppice-codec-requests-' . getmypid();
mkdir($directory);
// Each request reads old shapes, and so many new ones that the process gives up its keys; what was a key serves as a
// pattern, a stream wrapper's name, a constant, a setting, a function's static variable, and is still one in the shutdown functions.
file_put_contents("$directory/index.php", <<<'PHP'
<?php
$c = Coppice\Cache::open('local:');
$request = $c->increment('requests');
final class Wrapper { public $context; function stream_open(...$all) { return true; } }
function last(?string $new = null): ?string { static $kept; return $kept = $new ?? $kept; }
$old = ['id' => 1, 'a key of every request' => ['id' => 2], '/^pattern of every request$/' => 3];
$damaged = [];
$read = function (array $value, int $times) use ($c, &$damaged): array {
    $c->set('k', $value);
    for ($i = 0; $i < $times; ++$i) {
        if (($got = $c->get('k')) !== $value) {
            $damaged[] = json_encode($got);
        }
    }
    return $got;
};
foreach ($read($old, 3) as $key => $_) {
    @preg_match($key, 'pattern of every request');
}
for ($i = 0; $i < 400; ++$i) {
    $value = [];
    for ($k = 0; $k < 60; ++$k) {
        $value["/^key $i.$k of request number $request$/"] = $k;
    }
    foreach ($read($value, 3) as $key => $k) {
        if ($k === 0 && preg_match($key, "key $i.$k of request number $request") !== 1) {
            $damaged[] = $key;
        }
    }
}
$names = $read(["wrapper-$request" => 1, "CONSTANT_$request" => 2, 'user_agent' => 3, "static $request" => 4], 3);
[$wrapper, $constant, $setting, $static] = array_keys($names);
stream_wrapper_register($wrapper, Wrapper::class);
define($constant, $names);
ini_set($setting, $static);
last($static);
$GLOBALS[$static] = $names;
set_error_handler(fn () => true);
register_shutdown_function(function () use ($read, $old, $names, $static, &$damaged) {
    $read($old, 2);
    if (last() !== $static || constant(array_keys($names)[1]) !== $names || $GLOBALS[$static] !== $names) {
        echo 'damaged at the end ';
    }
});
echo $request, ' ', $damaged === [] ? 'good' : substr(implode(', ', $damaged), 0, 500);
if (isset($_GET['die'])) {
    ini_set('memory_limit', memory_get_usage() + (4 << 20));
    for ($i = 0; ; ++$i) {
        $kept[] = $c->get('k');  // ends in the middle of a decoding
    }
}
PHP);
$opcache = is_file(ini_get('extension_dir') . '/opcache.so') ? ['-d', 'zend_extension=opcache', '-d', 'opcache.enable=1'] : [];
$command = [PHP_BINARY, '-n', ...$opcache, ...test_extension(), '-d', 'coppice.decoded_memory=0', '-d', 'memory_limit=64M', '-d', 'display_errors=0', '-S', $address = '127.0.0.1:' . free_port(), '-t', $directory];
$server = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
for ($i = 0; $i < 500 && !($probe = @stream_socket_client("tcp://$address")); ++$i) {
    usleep(10_000);
}
fclose($probe);
$pid = proc_get_status($server)['pid'];
$resident = fn () => preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents("/proc/$pid/status"), $found) ? (int) $found[1] : 0;
for ($i = 1; $i <= 30; ++$i) {
    $got = file_get_contents("http://$address/" . ($i % 5 === 0 ? '?die=1' : ''), false, stream_context_create(['http' => ['ignore_errors' => true]]));
    if ($i % 5 !== 0) {
        same("$i good", $got, "request $i");
    }
    if ($i === 10) {
        $before = $resident();
    }
}
same(true, proc_get_status($server)['running'], 'the server lives');
same(true, $resident() < $before + 8192, 'twenty requests later it holds no more');
proc_terminate($server);
proc_close($server);
unlink("$directory/index.php");
rmdir($directory);
echo 'done';
?>
--EXPECT--
done
