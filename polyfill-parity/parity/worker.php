<?php

declare(strict_types=1);

/*
 * Runs every scenario on one implementation and writes an outcome a line to standard output:
 *
 *   php worker.php DSN SEED STEPS [scenario…]
 *
 * The implementation is the extension where that is loaded, else the package.
 */

namespace Coppice\Parity;

require __DIR__ . '/../autoload.php';
require __DIR__ . '/Checks.php';

error_reporting(E_ALL);
ini_set('precision', '17');
ini_set('serialize_precision', '-1');
ini_set('memory_limit', '512M');
date_default_timezone_set('UTC');

[, $dsn, $seed, $steps] = $argv + [1 => '', '0', '0'];
$wanted = array_slice($argv, 4);
$checks = new Checks($dsn, STDOUT, (int) $seed);
foreach (glob(__DIR__ . '/scenarios/*.php') ?: [] as $file) {
    /** @var array<string, \Closure(Checks, int): void> $scenarios */
    $scenarios = require $file;
    foreach ($scenarios as $name => $scenario) {
        if ($wanted !== [] && !in_array($name, $wanted, true)) {
            continue;
        }
        $checks->begin($name);
        $cache = $checks->open();
        $cache->clear();
        $cache->flushLocks();
        $scenario($checks, (int) $steps);
    }
}
fwrite(STDOUT, "{\"done\":true}\n");
