<?php

declare(strict_types=1);

/*
 * The cache store "coppice" of a Laravel application, unless config/cache.php has one of this name.
 */
return [
    'driver' => 'coppice',

    // What Coppice\Cache::open() takes: unix:///run/coppice/coppice.sock, redis://host:port/db, local:, auto:
    'dsn' => env('COPPICE_DSN', 'auto:'),

    // Further options of Coppice\Cache::open(). A cache that is full or away gives misses and a line in the log; counters, locks, rate
    // limits and sessions throw.
    'options' => [],

    // Null: cache.prefix.
    'prefix' => null,

    // Locks on a local: store hold for this process alone, and are refused unless this says that it is meant.
    'allow_local' => env('COPPICE_ALLOW_LOCAL', false),
];
