<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

/**
 * Hears of everything that changes what a key holds or invalidates it, removals also where nothing was there; never of eviction and expiry, nor of what was refused.
 *
 * @internal
 */
interface Listener
{
    public function changed(string $key): void;

    public function erasedPrefix(string $prefix): void;

    /** @param list<string> $tags */
    public function invalidatedTags(array $tags, int $version): void;

    public function flushed(): void;
}
