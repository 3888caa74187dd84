<?php
// What Laravel's configuration files call, as far as they need it to be evaluated.
declare(strict_types=1);

namespace {
    function env(string $name, mixed $default = null): mixed
    {
        return $name === 'APP_KEY' ? 'base64:q83vEjRWeJASNFZ4kKvN7xI0VniQEjRWeJCrze8=' : $default;
    }
    function config(string $name): string
    {
        return 'http://localhost';  // app.url is all that is asked for
    }
    function base_path(string $path = ''): string
    {
        return rtrim("/srv/app/$path", '/');
    }
    function app_path(string $path = ''): string
    {
        return base_path("app/$path");
    }
    function database_path(string $path = ''): string
    {
        return base_path("database/$path");
    }
    function public_path(string $path = ''): string
    {
        return base_path("public/$path");
    }
    function resource_path(string $path = ''): string
    {
        return base_path("resources/$path");
    }
    function storage_path(string $path = ''): string
    {
        return base_path("storage/$path");
    }
    // The framework's own classes give the lists of providers and aliases.
    spl_autoload_register(static function (string $class): void {
        $packages = Bench\PEERS . '/laravel';
        $path = str_replace('\\', '/', $class) . '.php';
        $parts = str_starts_with($path, 'Illuminate/Support/') ? ['Support', 'Collections', 'Macroable', 'Conditionable', 'Reflection'] : [''];
        foreach ($parts as $part) {
            $file = "$packages/framework/src/" . ($part === '' ? $path : "Illuminate/$part/" . substr($path, 19));
            if (is_file($file)) {
                require $file;
                return;
            }
        }
        if ($class === 'Laravel\Sanctum\Sanctum') {
            require "$packages/sanctum/src/Sanctum.php";
        }
    });
}

namespace Illuminate\Support {
    if (!class_exists(Str::class, false)) {
        class Str
        {
            public static function slug(string $text, string $separator = '-'): string
            {
                return trim((string) preg_replace('/[^a-z0-9]+/', $separator, strtolower($text)), $separator);
            }
        }
    }
}
