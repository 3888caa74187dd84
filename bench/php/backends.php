<?php
// The back ends that the PHP benchmarks compare. Each gives PHP source for its operations instead of functions, so that
// the measured loops contain the call itself and nothing around it.
declare(strict_types=1);

namespace Bench;

/** @param list<string> $keys @return array<string,mixed> what a plain array holds of them */
function take(array &$from, array $keys, bool $serialized): array
{
    $taken = [];
    foreach ($keys as $key) {
        $taken[$key] = $serialized ? unserialize($from[$key]) : $from[$key];
    }
    return $taken;
}

/** What an arm is asked to hold. */
final class Load
{
    public function __construct(
        public int $n,
        public string $kind,        // int, s64, s1k, s8k, arr
        public ?string $socket,     // of the owner or of the Redis server that was started for this arm
    ) {
    }

    /** Bytes of one value, for sizing the peers generously. */
    public function valueBytes(): int
    {
        return ['int' => 24, 's64' => 64, 's1k' => 1024, 's8k' => 8192, 'arr' => 64][$this->kind];
    }

    public function bytes(): int
    {
        return $this->n * ($this->valueBytes() + 200) + (64 << 20);
    }
}

abstract class Backend
{
    public function __construct(protected Load $load)
    {
    }

    /** Why it can't run here, or null. */
    public static function missing(): ?string
    {
        return null;
    }

    /** @return list<string> arguments for the PHP process of the arm */
    public static function settings(Load $load): array
    {
        return [];
    }

    /** The server that the arm needs: 'coppiced', 'redis' or none. */
    public static function server(): ?string
    {
        return null;
    }

    /** What the loops call $c. */
    abstract public function open(): mixed;

    /** PHP source: an expression that reads key $k; null is a miss. */
    abstract public function get(): string;

    /** PHP source: a statement that stores $v under $k. */
    abstract public function set(): string;

    /** PHP source: an expression that reads the list $ks and gives an array by key. */
    abstract public function getMany(): string;

    /** PHP source: a statement that stores the array $kv; by default one by one. */
    public function setMany(): string
    {
        return 'foreach ($kv as $k => $v) { ' . $this->set() . ' }';
    }

    /** PHP source: an expression that removes all keys beginning with $p and gives their number; null: it can't. */
    public function removeGroup(): ?string
    {
        return null;
    }

    /** Entries held, as the back end itself tells: the proof that it is the one named. */
    abstract public function count(mixed $c): ?int;

    /** May lose entries while it is not full. */
    public function isLossy(): bool
    {
        return false;
    }

    /** Further bytes that it holds outside of this process. */
    public function serverPid(): ?int
    {
        return null;
    }

    protected function isArray(): bool
    {
        return $this->load->kind === 'arr';
    }
}

/** A PHP array of this process; arrays as serialized strings, so that a read gives a value of the reader's own. */
final class PlainArray extends Backend
{
    public function open(): mixed
    {
        return new \stdClass();
    }

    public function get(): string
    {
        return $this->isArray() ? '\unserialize($a[$k])' : '$a[$k]';
    }

    public function set(): string
    {
        return $this->isArray() ? '$a[$k] = \serialize($v);' : '$a[$k] = $v;';
    }

    public function getMany(): string
    {
        return '\Bench\take($a, $ks, ' . ($this->isArray() ? 'true' : 'false') . ')';
    }

    public function removeGroup(): ?string
    {
        return '(function () use (&$a, $p) { $gone = 0; foreach ($a as $k => $_) { if (\str_starts_with($k, $p)) { unset($a[$k]); $gone++; } } return $gone; })()';
    }

    public function count(mixed $c): ?int
    {
        return null;
    }
}

final class Apcu extends Backend
{
    public static function missing(): ?string
    {
        return extension_loaded('apcu') ? null : 'the extension apcu is not installed';
    }

    public static function settings(Load $load): array
    {
        return ['-d', 'apc.enabled=1', '-d', 'apc.enable_cli=1', '-d', "apc.entries_hint={$load->n}", '-d', 'apc.ttl=0',
            '-d', 'apc.shm_size=' . intdiv((int) ($load->bytes() * 1.5), 1 << 20) . 'M'];
    }

    public function open(): mixed
    {
        apcu_enabled() || throw new \RuntimeException('apcu is not enabled');
        return null;
    }

    public function get(): string
    {
        return '(($v = \apcu_fetch($k)) === false ? null : $v)';
    }

    public function set(): string
    {
        return '\apcu_store($k, $v);';
    }

    public function getMany(): string
    {
        return '\apcu_fetch($ks)';
    }

    public function removeGroup(): ?string
    {
        return '(function () use ($p) { $keys = []; foreach (new \APCUIterator("/^" . \preg_quote($p, "/") . "/", APC_ITER_KEY) as $item) { $keys[] = $item["key"]; } return \count($keys) - \count(\apcu_delete($keys)); })()';
    }

    public function count(mixed $c): ?int
    {
        return apcu_cache_info(true)['num_entries'];
    }
}

final class Yac extends Backend
{
    public static function missing(): ?string
    {
        return extension_loaded('yac') ? null : 'no yac.so in ' . PEERS;
    }

    public static function settings(Load $load): array
    {
        $keys = intdiv($load->n * 384, 1 << 20) + 4;
        $values = intdiv((int) ($load->bytes() * 1.5), 1 << 20) + 64;
        // Debian's packages of Yac and APCu exclude each other, so Yac is only unpacked (bench/lib/common.sh).
        return ['-d', 'extension=' . PEERS . '/yac.so', '-d', 'yac.enable=1', '-d', 'yac.enable_cli=1', '-d', "yac.keys_memory_size={$keys}M", '-d', "yac.values_memory_size={$values}M"];
    }

    public function open(): mixed
    {
        return new \Yac();
    }

    public function get(): string
    {
        return '(($v = $c->get($k)) === false ? null : $v)';
    }

    public function set(): string
    {
        return '$c->set($k, $v);';
    }

    public function getMany(): string
    {
        return '$c->get($ks)';
    }

    public function count(mixed $c): ?int
    {
        return $c->info()['slots_used'];
    }

    public function isLossy(): bool
    {
        return true;
    }
}

/** A cache object with the methods of PSR-16, and deletePrefix(). */
abstract class PrefixCache extends Backend
{
    public function get(): string
    {
        return '$c->get($k)';
    }

    public function set(): string
    {
        return '$c->set($k, $v);';
    }

    public function getMany(): string
    {
        return '$c->getMultiple($ks)';
    }

    public function removeGroup(): ?string
    {
        return '$c->deletePrefix($p)';
    }
}

/** Its own engine of one process, over php-judy: judy.so and a checkout of judy-cache in the build's bench-peers/. */
final class JudyCache extends PrefixCache
{
    public static function missing(): ?string
    {
        return extension_loaded('judy') && is_dir(PEERS . '/judy-cache/src') ? null : 'no judy.so and judy-cache/ in ' . PEERS;
    }

    public static function settings(Load $load): array
    {
        return is_file(PEERS . '/judy.so') ? ['-d', 'extension=' . PEERS . '/judy.so'] : [];
    }

    public function open(): mixed
    {
        spl_autoload_register(function (string $class): void {
            $file = PEERS . '/judy-cache/src/' . strtr(substr($class, strlen('Orieg\\JudyCache\\')), '\\', '/') . '.php';
            if (str_starts_with($class, 'Orieg\\JudyCache\\') && is_file($file)) {
                require $file;
            }
        });
        if (!interface_exists('Psr\\SimpleCache\\CacheInterface')) {
            require PEERS . '/judy-cache/tests/shims/psr-simple-cache.php';
        }
        return new \Orieg\JudyCache\JudySimpleCache();
    }

    public function count(mixed $c): ?int
    {
        return \count($c);
    }
}

final class PhpRedis extends Backend
{
    public static function missing(): ?string
    {
        return extension_loaded('redis') ? null : 'the extension redis is not installed';
    }

    public static function server(): ?string
    {
        return 'redis';
    }

    public function open(): mixed
    {
        $redis = new \Redis();
        $redis->pconnect($this->load->socket);
        $redis->setOption(\Redis::OPT_SERIALIZER, $this->isArray() ? \Redis::SERIALIZER_PHP : \Redis::SERIALIZER_NONE);
        $redis->setOption(\Redis::OPT_SCAN, \Redis::SCAN_RETRY);
        return $redis;
    }

    public function get(): string
    {
        return '(($v = $c->get($k)) === false ? null : ' . ($this->load->kind === 'int' ? '(int) $v' : '$v') . ')';
    }

    public function set(): string
    {
        return '$c->set($k, $v);';
    }

    public function getMany(): string
    {
        return '\array_combine($ks, ' . ($this->load->kind === 'int' ? '\array_map(\intval(...), $c->mget($ks))' : '$c->mget($ks)') . ')';
    }

    public function setMany(): string
    {
        return '$c->mset($kv);';
    }

    public function removeGroup(): ?string
    {
        return '(function () use ($c, $p) { $gone = 0; $at = null; while (($keys = $c->scan($at, $p . "*", 1000)) !== false) { if ($keys) { $gone += $c->unlink($keys); } } return $gone; })()';
    }

    public function count(mixed $c): ?int
    {
        return $c->dbSize();
    }
}

abstract class Coppice extends PrefixCache
{
    public static function missing(): ?string
    {
        return null;
    }

    public static function settings(Load $load): array
    {
        return ['-d', 'extension=' . BUILD . '/php-ext/coppice.so'];
    }

    public function setMany(): string
    {
        return '$c->setMultiple($kv);';
    }

    public function count(mixed $c): ?int
    {
        return $c->countPrefix();
    }
}

final class CoppiceLocal extends Coppice
{
    public function open(): mixed
    {
        return \Coppice\Cache::open('local:?max_memory=' . intdiv($this->load->bytes(), 1 << 20) . 'M');
    }

    public function setMany(): string
    {
        return 'foreach ($kv as $k => $v) { $c->set($k, $v); }';
    }
}

final class CoppiceShared extends Coppice
{
    public static function server(): ?string
    {
        return 'coppiced';
    }

    public function open(): mixed
    {
        $cache = \Coppice\Cache::open("unix://{$this->load->socket}");
        $cache->isShared() || throw new \RuntimeException('the cache is not shared');
        return $cache;
    }
}

/** @return array<string,class-string<Backend>> */
function backends(): array
{
    return ['array' => PlainArray::class, 'apcu' => Apcu::class, 'yac' => Yac::class, 'judy-cache' => JudyCache::class, 'redis' => PhpRedis::class,
        'coppice-local' => CoppiceLocal::class, 'coppice-shared' => CoppiceShared::class];
}
