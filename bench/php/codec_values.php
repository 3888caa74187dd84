<?php
// The values that bench/php/codec measures, by name.
declare(strict_types=1);

namespace Bench;

/** @return array{id: int, score: int} the value of W1 */
function small_row(): array
{
    return ['id' => 123456, 'score' => 7890];
}

/** @return list<array{id: int, name: string, email: string, balance: float, active: ?bool, created_at: string}> */
function rows(int $count): array
{
    $rows = [];
    for ($i = 0; $i < $count; $i++) {
        $rows[] = ['id' => 1_000_000 + $i, 'name' => "Customer $i", 'email' => "customer.$i@example.org", 'balance' => $i * 37 / 8 + 0.1,
            'active' => [true, false, null][$i % 3], 'created_at' => date('Y-m-d H:i:s', 1_700_000_000 + 86_399 * $i)];
    }
    return $rows;
}

/**
 * What a site with a shop and some plugins loads with each request: names of options to strings, several of which are
 * serialized themselves.
 * @return array<string, string>
 */
function options(int $count): array
{
    $options = ['siteurl' => 'https://shop.example.org', 'home' => 'https://shop.example.org', 'blogname' => 'Example shop',
        'blogdescription' => 'Just another shop', 'admin_email' => 'admin@example.org', 'users_can_register' => '0', 'start_of_week' => '1',
        'date_format' => 'F j, Y', 'time_format' => 'g:i a', 'permalink_structure' => '/%postname%/', 'gmt_offset' => '0', 'template' => 'storefront',
        'active_plugins' => serialize(['akismet/akismet.php', 'woo/woo.php', 'seo/seo.php', 'forms/forms.php']),
        'timezone_string' => 'Europe/Berlin', 'default_category' => '1', 'posts_per_page' => '10', 'blog_charset' => 'UTF-8'];
    $plugins = ['woocommerce', 'seo', 'widget', 'theme_mods', 'forms', 'jetpack', 'mailer', 'backup'];
    $settings = ['enabled', 'currency', 'page_id', 'version', 'db_version', 'from_name', 'placeholder_image', 'default_country', 'thumbnail_size'];
    for ($i = 0; count($options) < $count; $i++) {
        $name = $plugins[$i % 8] . '_' . $settings[intdiv($i, 8) % 9] . ($i < 72 ? '' : '_' . intdiv($i, 72));
        $options[$name] = match ($i % 7) {
            0 => 'yes',
            1 => 'no',
            2 => (string) ($i * 13 % 997),
            3 => '',
            4 => '5.' . $i % 10 . '.' . $i % 7,
            5 => serialize(['title' => "Widget $i", 'count' => $i % 10, 'dropdown' => 0, 'ids' => range($i, $i + $i % 9)]),
            6 => "A sentence that somebody wrote in the settings of plugin number $i.",
        };
    }
    return $options;
}

/**
 * Laravel's, from the configuration files of the framework, the application and two of its packages that Composer put
 * into $directory: merged as the framework does it.
 * @return array<string, array<mixed>>
 */
function laravel_configuration(string $directory): array
{
    require_once __DIR__ . '/codec_laravel.php';
    $all = [];
    foreach (['framework', 'laravel', 'sanctum', 'scout'] as $package) {
        foreach (glob("$directory/$package/config/*.php") ?: [] as $file) {
            $name = basename($file, '.php');
            $part = (static fn (): array => require $file)();
            $all[$name] = $part + ($all[$name] ?? []);
            foreach (['connections', 'stores', 'disks', 'channels', 'mailers', 'guards', 'providers'] as $merged) {
                if (isset($before[$name][$merged], $part[$merged]) && !array_is_list($part[$merged])) {
                    $all[$name][$merged] = $part[$merged] + $before[$name][$merged];
                }
            }
            $before[$name] = $all[$name];
        }
    }
    ksort($all);
    return $all;
}

/**
 * The like of it, where there is no Composer: seventeen parts, drivers with options of their own, class names, numbers, nulls.
 * @return array<string, array<mixed>>
 */
function made_up_configuration(): array
{
    $all = ['app' => ['name' => 'Example', 'env' => 'production', 'debug' => false, 'url' => 'http://localhost', 'timezone' => 'UTC', 'locale' => 'en',
        'key' => 'base64:q83vEjRWeJASNFZ4kKvN7xI0VniQEjRWeJCrze8=', 'previous_keys' => [], 'maintenance' => ['driver' => 'file', 'store' => 'database']]];
    foreach (['Auth', 'Bus', 'Cache', 'Cookie', 'Database', 'Encryption', 'Filesystem', 'Hashing', 'Mail', 'Pagination', 'Queue', 'Redis', 'Session', 'View'] as $part) {
        $all['app']['providers'][] = "Example\\Framework\\$part\\{$part}ServiceProvider";
        $all['app']['aliases'][$part] = "Example\\Framework\\Support\\Facades\\$part";
    }
    $names = ['auth', 'broadcasting', 'cache', 'cors', 'database', 'filesystems', 'hashing', 'logging', 'mail', 'queue', 'search', 'services', 'session', 'tokens', 'view', 'workers'];
    foreach ($names as $n => $name) {
        $part = ['default' => "$name-default", 'prefix' => "example-$name-", 'retry_after' => 90 + $n, 'lifetime' => 120, 'encrypt' => false];
        foreach (['local', 'redis', 'database', 'cluster', 'null'] as $d => $driver) {
            $part['connections'][$driver] = ['driver' => $driver, 'connection' => $d % 2 ? 'default' : null, 'table' => $name, 'host' => '127.0.0.1', 'port' => (string) (3306 + $d),
                'username' => 'root', 'password' => '', 'charset' => 'utf8mb4', 'strict' => true, 'options' => $d === 3 ? ['tls' => true, 'timeout' => 1.5] : []];
        }
        $all[$name] = $part + ['paths' => ["/srv/app/storage/$name", "/srv/app/resources/$name"], 'lottery' => [2, 100]];
    }
    return $all;
}

/** @return array<string, array<mixed>> by name */
function codec_values(string $peers): array
{
    return ['w1' => small_row(), 'configuration' => is_dir("$peers/laravel/framework/config") ? laravel_configuration("$peers/laravel") : made_up_configuration(),
        'rows' => rows(100), 'options' => options(330)];
}
