--TEST--
Decoded values: settings; what can't be used is refused at the start by its name
--FILE--
<?php
require __DIR__ . '/decoded.inc';
/** What a PHP with these settings says at its start and of its table. */
function started(string ...$settings): array
{
    $command = [PHP_BINARY, '-n', ...inherited_settings(), '-d', 'display_errors=1', '-d', 'html_errors=0'];
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    $code = '$c = Coppice\Cache::open("local:"); $c->setMultiple(["k" => range(1, 100)]); for ($i = 0; $i < 3; $i++) $c->get("k");'
        . ' $s = $c->stats(); echo "\n", $s["decoded_limit"], " ", $s["decoded_hits"], " ", $s["decoded_entries"], " ", ini_get("coppice.decoded_memory"), " ", ini_get("coppice.decoded_scope");'
        . ' ob_start(); phpinfo(INFO_MODULES); preg_match("/Decoded values are kept for => (.*)/", ob_get_clean(), $m); echo " ", $m[1];';
    array_push($command, '-r', $code);
    $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    same(0, proc_close($process), 'status');
    $lines = explode("\n", $output);
    return [array_pop($lines), trim(implode("\n", $lines))];
}
$quiet = fn (string $expected, string ...$settings) => same([$expected, ''], started(...$settings), implode(' ', $settings));
$refused = function (string $name, string $value, string $why) {
    [$state, $warning] = started("$name=$value");
    same('33554432 2 1 32M process request', $state, "$name=$value");
    same(true, str_contains($warning, "setting $name can't be \"$value\"; $why"), "$name=$value: $warning");
};
$quiet('33554432 2 1 32M process request');
$quiet('1048576 2 1 1M process request', 'coppice.decoded_memory=1M');
$quiet('5000 2 1 5000 process request', 'coppice.decoded_memory=5000');
$quiet('100 0 0 100 process request', 'coppice.decoded_memory=100');
$quiet('0 0 0 0 process off', 'coppice.decoded_memory=0');
$quiet('0 0 0 32M off off', 'coppice.decoded_scope="off"');
$quiet('0 0 0 32M  off', 'coppice.decoded_scope=off');  // which php.ini takes for a bool
$quiet('33554432 2 1 32M request request', 'coppice.decoded_scope=request');
foreach (['-1', '-32M', '32X', 'many', '1.5M', '', '99999999999999999999', '9223372036854775808'] as $value) {
    $refused('coppice.decoded_memory', $value, 'sizes are written as 32M, and 0 keeps no decoded values');
}
foreach (['worker', 'Process'] as $value) {
    $refused('coppice.decoded_scope', $value, 'it is process, request or off');
}
// At most a quarter of the memory limit.
if (getenv('USE_ZEND_ALLOC') !== '0') {
    $quiet('4194304 2 1 32M process request', 'memory_limit=16M');
    $quiet('8388608 2 1 32M process request', 'memory_limit=32M');
    $quiet('33554432 2 1 32M process request', 'memory_limit=128M');
    $quiet('33554432 2 1 32M process request', 'memory_limit=-1');
}
// They are the process's: a script can't change them.
same(false, ini_set('coppice.decoded_memory', '1M'), 'ini_set of the size');
same(false, ini_set('coppice.decoded_scope', 'off'), 'ini_set of the scope');
echo 'done';
?>
--EXPECT--
done
