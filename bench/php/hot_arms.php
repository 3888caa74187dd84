<?php
// The values and arms of W7.
declare(strict_types=1);

namespace Bench;

/** @return array<string, mixed> by name */
function hot_values(string $peers): array
{
    require_once __DIR__ . '/codec_values.php';
    // Rows of five columns.
    $list = fn (int $n): array => array_map(fn (array $row): array => array_slice($row, 0, 5), rows($n));
    $values = codec_values($peers);
    return ['rows10' => $list(10), 'rows100' => $list(100), 'rows1000' => $list(1000), 'text64k' => str_repeat('0123456789abcdef', 4096),
        'configuration' => $values['configuration'], 'options' => $values['options']];
}

/** An arm: what PHP needs for it, and PHP source that prepares it and that reads the value once. */
final class HotArm
{
    /**
     * @param list<string> $settings
     * @param string $prepare statements that see $value, $file (which the driver wrote) and $dsn; what they set is there for $read
     * @param string $proof an expression that is true if the arm is what its name says, after the reads
     * @param bool $fpm whether it makes sense over requests
     */
    public function __construct(public array $settings, public string $prepare, public string $read, public string $proof, public bool $fpm = true)
    {
    }
}

/** @return array<string, HotArm> */
function hot_arms(string $build): array
{
    $coppice = ["extension=$build/php-ext/coppice.so"];
    $opened = '$c = \Coppice\Cache::open($dsn); if ($fill) { $c->setMultiple(["value" => $value, "int" => 1234567890]); }';
    $kept = '$c->stats()["decoded_hits"] > 0';
    $immutable = "$build/bench-peers/immutable_cache.so";
    $opcache = ['zend_extension=opcache', 'opcache.enable=1', 'opcache.enable_cli=1', 'opcache.file_update_protection=0', 'opcache.validate_timestamps=0'];
    $arms = [
        'variable' => new HotArm([], '$a = [$value];', '$a[0]', 'true', fpm: false),
        'opcache' => new HotArm($opcache, '', 'include $file', '\opcache_is_script_cached($file)'),
        'immutable_cache' => new HotArm(["extension=$immutable", 'immutable_cache.enabled=1', 'immutable_cache.enable_cli=1', 'immutable_cache.shm_size=64M'],
            'if ($fill) { \immutable_cache_add("value", $value); }', '\immutable_cache_fetch("value")', '\immutable_cache_exists("value")'),
        'coppice-shared' => new HotArm($coppice, $opened, '$c->get("value")', "$kept && \$c->isShared()"),
        'coppice-local' => new HotArm($coppice, str_replace('$dsn', '"local:"', $opened), '$c->get("value")', "$kept && !\$c->isShared()"),
        'coppice-int' => new HotArm($coppice, $opened, '$c->get("int")', '$c->isShared()'),
        'coppice-decoding' => new HotArm([...$coppice, 'coppice.decoded_scope=off'], $opened, '$c->get("value")', '$c->stats()["decoded_hits"] === 0 && $c->isShared()'),
        'apcu' => new HotArm(['extension=apcu', 'apc.enabled=1', 'apc.enable_cli=1', 'apc.shm_size=64M'], 'if ($fill) { \apcu_store("value", $value); }', '\apcu_fetch("value")', '\apcu_exists("value")'),
        'igbinary' => new HotArm(['extension=igbinary'], '$s = \igbinary_serialize($value);', '\igbinary_unserialize($s)', 'true', fpm: false),
        'unserialize' => new HotArm([], '$s = \serialize($value);', '\unserialize($s)', 'true', fpm: false),
    ];
    if (!is_file($immutable)) {
        unset($arms['immutable_cache']);
    }
    return $arms;
}
