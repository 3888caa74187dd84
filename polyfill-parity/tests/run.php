<?php

declare(strict_types=1);

/* Runs the tests of the package, each in a process of its own; the last line is a summary. */

$directory = __DIR__;
$names = array_slice($argv, 1) ?: array_map(static fn (string $f): string => basename($f, '_test.php'), glob("$directory/*_test.php") ?: []);
$passed = $failed = 0;
$options = [];
foreach (['igbinary', 'pcntl', 'posix'] as $extension) {
    if (is_file(ini_get('extension_dir') . "/$extension.so")) {
        array_push($options, '-d', "extension=$extension");
    }
}
foreach ($names as $name) {
    $output = [];
    exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', ...$options, "$directory/{$name}_test.php"])) . ' 2>&1', $output, $status);
    $last = end($output) ?: '';
    if (preg_match('/^(\d+) passed, (\d+) failed$/', $last, $m) !== 1) {
        echo "$name did not come to its end:\n", implode("\n", array_slice($output, -20)), "\n";
        ++$failed;
        continue;
    }
    $passed += (int) $m[1];
    $failed += (int) $m[2];
    echo $m[2] === '0' ? '' : implode("\n", array_slice($output, 0, -1)) . "\n", "$name: $last\n";
}
echo "package: $passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
