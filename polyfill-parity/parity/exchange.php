<?php

declare(strict_types=1);

/*
 * One side of an exchange between implementations at one owner:
 *
 *   php exchange.php DSN SEED write NAME     stores every value, and random ones, under NAME
 *   php exchange.php DSN SEED read           writes an outcome a line for what all have stored
 */

namespace Coppice\Parity;

require __DIR__ . '/../autoload.php';
require __DIR__ . '/Checks.php';
require __DIR__ . '/values.php';

error_reporting(E_ALL);
ini_set('serialize_precision', '-1');
date_default_timezone_set('UTC');

[, $dsn, $seed, $act] = $argv;
mt_srand((int) $seed);
$values = values();
for ($i = 0; $i < 300; ++$i) {
    $values["random $i"] = any_value();
}
if ($act === 'write') {
    $cache = \Coppice\Cache::open($dsn, ['prefix' => "$argv[4]."]);
    foreach ($values as $name => $value) {
        $cache->set($name, $value, 1000, ["tag of $argv[4]", 'both']) || exit(1);
    }
    $cache->increment('counter', 5);
    $cache->increment('counter');
    $cache->throttle('limit', 5, 3600.0, 2);
    $cache->lock('held', 3600.0, 'mine')->acquire();
    exit(0);
}
$checks = new Checks($dsn, STDOUT, (int) $seed);
$checks->begin('exchange');
foreach (['extension', 'package'] as $writer) {
    $cache = $checks->open(['prefix' => "$writer."]);
    foreach (array_keys($values) as $name) {
        $checks->check("get $name of the $writer", fn () => $cache->get((string) $name, 'missing'));
        $checks->check("find $name of the $writer", fn () => $cache->find((string) $name));
    }
    $checks->check("getMultiple of the $writer", fn () => $cache->getMultiple(array_map(strval(...), array_keys($values))));
    $checks->check("scan of the $writer", function () use ($cache, $values) {
        $seen = [];
        foreach ($cache->scan() as $key => $value) {
            isset($values[$key]) && $seen[$key] = Checks::told($value);
        }
        return $seen;
    });
    $checks->check("counter of the $writer", fn () => $cache->get('counter'));
    $checks->check("limit of the $writer", fn () => $cache->throttle('limit', 5, 3600.0, 0));
    $checks->check("lock of the $writer", fn () => [$cache->lock('held')->isLocked(), $cache->lock('held')->acquire(), $cache->lock('held', 60.0, 'mine')->isHeld()]);
}
fwrite(STDOUT, "{\"done\":true}\n");
