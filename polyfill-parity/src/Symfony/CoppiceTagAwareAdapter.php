<?php

declare(strict_types=1);

namespace Coppice\Symfony;

use Coppice\Cache;
use Coppice\Pending;
use Symfony\Component\Cache\Adapter\AbstractTagAwareAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\PruneableInterface;

/**
 * The same with tags, which are the cache's own: invalidating one costs what it removes, and nothing is read for it.
 *
 *   $pool = new CoppiceTagAwareAdapter(CoppiceTagAwareAdapter::createConnection('unix:///run/coppice/coppice.sock'), 'shop');
 */
class CoppiceTagAwareAdapter extends AbstractTagAwareAdapter implements PruneableInterface
{
    use StoresInCoppice;

    /** As the parent has it, whose constant is its own. */
    private const TAGS = "\1tags\1";

    private readonly string $root;

    /** @var ?\Closure(AbstractTagAwareAdapter, string): string */
    private static ?\Closure $idOf = null;

    /** @param int $defaultLifetime seconds; 0: for ever */
    public function __construct(Cache $cache, string $namespace = '', int $defaultLifetime = 0)
    {
        $this->cache = $cache;
        $this->lifetime = $defaultLifetime;
        $this->miss = new \stdClass();
        $this->root = $namespace === '' ? '' : $namespace . self::NS_SEPARATOR;
        parent::__construct($namespace, $defaultLifetime);
    }

    /**
     * @param array<string, mixed> $values
     * @param array<string, list<string>> $addTagData ids by tag
     * @param array<string, list<string>> $removeTagData
     * @return list<string> those that were not stored
     */
    protected function doSave(array $values, int $lifetime, array $addTagData = [], array $removeTagData = []): array
    {
        $tags = [];
        foreach ($addTagData as $tag => $ids) {
            foreach ($ids as $id) {
                $tags[$id][] = (string) $tag;
            }
        }
        // Those with the same tags are stored together.
        $groups = [];
        foreach ($values as $id => $value) {
            $groups[implode("\0", $tags[$id] ?? [])][$id] = $value;
        }
        $failed = [];
        foreach ($groups as $group) {
            $ids = array_keys($group);
            if (!$this->cache->setMultiple($group, $lifetime > 0 ? $lifetime : null, $tags[$ids[0]] ?? [])) {
                array_push($failed, ...array_map(strval(...), $ids));
            }
        }
        return $failed;
    }

    /** @param array<mixed> $tagData */
    protected function doDeleteTagRelations(array $tagData): bool
    {
        return true;
    }

    /** @param array<string> $tagIds */
    protected function doInvalidate(array $tagIds): bool
    {
        $this->cache->invalidateTags(...array_values($tagIds));
        return true;
    }

    /**
     * Nothing needs to be read to delete what has tags.
     *
     * @param array<string> $ids
     * @return iterable<string, array<string>>
     */
    protected function doDeleteYieldTags(array $ids): iterable
    {
        if (!$this->doDelete($ids)) {
            throw new \RuntimeException('the cache could not be reached');
        }
        return [];
    }

    /**
     * The value of what is stored, and its metadata; null: it is nothing of this pool's.
     *
     * @return ?array<mixed>
     */
    private function glance(mixed $stored, mixed &$value): ?array
    {
        return ItemAccess::glanceTagged($stored, $value);
    }

    private function opened(mixed $stored): mixed
    {
        return $stored;
    }

    private function packed(CacheItem $item, Pending $pending): mixed
    {
        $tags = [];
        foreach (ItemAccess::tags($item) as $tag) {
            $tags[] = $this->root . self::TAGS . $tag;
        }
        $pending->tags(...$tags);
        return ItemAccess::packTagged($item);
    }

    private function itemOf(string $key, mixed $stored): CacheItem
    {
        return $stored === $this->miss ? ItemAccess::missing($key, true) : ItemAccess::taggedItem($key, $stored);
    }

    /** The pool's own way from keys to what is stored under them, which it keeps to itself in some versions. */
    private function idOf(string $key): string
    {
        self::$idOf ??= \Closure::bind(static fn (AbstractTagAwareAdapter $pool, string $key): string => $pool->getId($key), null, AbstractTagAwareAdapter::class);
        return (self::$idOf)($this, $key);
    }
}
