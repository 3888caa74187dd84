<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

/**
 * Versions of keys by when they end. What was replaced or removed meanwhile is not looked for: it comes out in its time, and the
 * store sees by the version that it is nothing any more.
 *
 * add() and each of due() cost O(log n).
 *
 * @internal
 */
final class Deadlines
{
    /** @var \SplMinHeap<array{int, int, string}> deadline, version, key */
    private \SplMinHeap $heap;

    public function __construct()
    {
        $this->heap = new \SplMinHeap();
    }

    public function add(int $deadline, int $version, string $key): void
    {
        $this->heap->insert([$deadline, $version, $key]);
    }

    /** @return ?array{int, int, string} the earliest, which stays */
    public function first(): ?array
    {
        return $this->heap->isEmpty() ? null : $this->heap->top();
    }

    public function drop(): void
    {
        $this->heap->extract();
    }

    public function count(): int
    {
        return count($this->heap);
    }
}
