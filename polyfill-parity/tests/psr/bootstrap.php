<?php

declare(strict_types=1);

require __DIR__ . '/../../autoload.php';
require 'Psr/SimpleCache/autoload.php';
require 'Cache/IntegrationTests/autoload.php';

/** The cache under test, empty: COPPICE_TEST_DSN says which. */
function test_cache(): Coppice\Cache
{
    return Coppice\Cache::open(getenv('COPPICE_TEST_DSN') ?: 'local:', ['prefix' => 'psr.', 'on_error' => 'throw']);
}
