<?php

declare(strict_types=1);

/*
 * Loads the package without Composer:
 *
 *   require 'polyfill-parity/autoload.php';
 *   $cache = Coppice\Cache::open();
 *
 * Where the extension is loaded its classes are there already, and nothing of them is looked for here.
 */
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Coppice\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, 8)) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
