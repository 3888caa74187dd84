<?php

declare(strict_types=1);

namespace Coppice\Symfony;

use Coppice\Cache;
use Coppice\Pending;
use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\PruneableInterface;

/**
 * A pool of Symfony's on a cache, whichever implementation it is of:
 *
 *   $pool = new CoppiceAdapter(CoppiceAdapter::createConnection('unix:///run/coppice/coppice.sock'), 'shop');
 *
 * clear($prefix) costs what it removes. get() computes under a lease of the owner's in place of Symfony's lock files, so that long-lived
 * command line workers are protected too.
 */
class CoppiceAdapter extends AbstractAdapter implements PruneableInterface
{
    use StoresInCoppice;

    /** @var ?\Closure(AbstractAdapter, string): string */
    private static ?\Closure $idOf = null;

    /** @param int $defaultLifetime seconds; 0: for ever */
    public function __construct(Cache $cache, string $namespace = '', int $defaultLifetime = 0)
    {
        $this->cache = $cache;
        $this->lifetime = $defaultLifetime;
        $this->miss = new \stdClass();
        parent::__construct($namespace, $defaultLifetime);
    }

    /**
     * @param array<string, mixed> $values
     * @return array<string>|bool
     */
    protected function doSave(array $values, int $lifetime): array|bool
    {
        return $this->cache->setMultiple(array_map(Envelope::close(...), $values), $lifetime > 0 ? $lifetime : null);
    }

    /**
     * The value of what is stored, and its metadata; null: it is nothing of this pool's.
     *
     * @return ?array<mixed>
     */
    private function glance(mixed $stored, mixed &$value): ?array
    {
        return Envelope::glance($stored, $value);
    }

    private function opened(mixed $stored): mixed
    {
        return Envelope::open($stored);
    }

    private function packed(CacheItem $item, Pending $pending): mixed
    {
        return Envelope::close(ItemAccess::pack($item));
    }

    private function itemOf(string $key, mixed $stored): CacheItem
    {
        return $stored === $this->miss ? ItemAccess::missing($key, false) : ItemAccess::item($key, Envelope::open($stored));
    }

    /** The pool's own way from keys to what is stored under them, which it keeps to itself in some versions. */
    private function idOf(string $key): string
    {
        self::$idOf ??= \Closure::bind(static fn (AbstractAdapter $pool, string $key): string => $pool->getId($key), null, AbstractAdapter::class);
        return (self::$idOf)($this, $key);
    }
}
