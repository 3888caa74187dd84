<?php

declare(strict_types=1);

/*
 * Runs Symfony's own test cases over this package. SYMFONY_VENDOR is a vendor/ directory with symfony/cache and symfony/lock;
 * SYMFONY_CACHE_TESTS and SYMFONY_LOCK_TESTS are the Tests/ directories of a checkout of those (they are in no release).
 */

require getenv('SYMFONY_VENDOR') . '/autoload.php';
require __DIR__ . '/../../autoload.php';
require 'Cache/IntegrationTests/autoload.php';
spl_autoload_register(static function (string $class): void {
    foreach (['Cache' => 'SYMFONY_CACHE_TESTS', 'Lock' => 'SYMFONY_LOCK_TESTS'] as $component => $variable) {
        $prefix = "Symfony\\Component\\$component\\Tests\\";
        if (str_starts_with($class, $prefix)) {
            require getenv($variable) . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        }
    }
});

function coppice(): Coppice\Cache
{
    return Coppice\Symfony\CoppiceAdapter::createConnection(getenv('COPPICE_TEST_DSN') ?: 'local:');
}
