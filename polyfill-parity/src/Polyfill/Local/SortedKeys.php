<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

/**
 * The keys of a store in bytewise order: sorted runs of some hundred keys, and what has changed since they were last looked at.
 *
 * A store that nobody asks for ranges pays one hash table's insertion for a key. With n keys, runs of B = 512 and k keys that
 * came or went since the last question:
 *
 *  - add(), remove(): O(1)
 *  - the next question first settles those k: O(k · (log n + B)), at most O(n log n) in all, which it is
 *    where k is a good part of n
 *  - countPrefix(): O(log n + n / B)
 *  - after(): O(log n) and then O(1) a key
 *  - cut(): O(log n + n / B) and what it removes
 *
 * @internal
 */
final class SortedKeys
{
    private const RUN = 512;

    /** @var list<list<string>> none of them empty */
    private array $runs = [];
    /** @var list<string> the first key of each run */
    private array $firsts = [];
    private int $count = 0;
    /** @var array<true> keys that are in no run yet */
    private array $added = [];
    /** @var array<true> keys that are in a run still */
    private array $removed = [];

    /** REQUIRES: the key is not there. */
    public function add(string $key): void
    {
        if (isset($this->removed[$key])) {
            unset($this->removed[$key]);
        } else {
            $this->added[$key] = true;
        }
    }

    /** REQUIRES: the key is there. */
    public function remove(string $key): void
    {
        if (isset($this->added[$key])) {
            unset($this->added[$key]);
        } else {
            $this->removed[$key] = true;
        }
    }

    public function countPrefix(string $prefix): int
    {
        $this->settle();
        if ($prefix === '') {
            return $this->count;
        }
        [$run, $place] = $this->seek($prefix);
        [$endRun, $endPlace] = $this->seekEnd($prefix);
        $count = $endPlace - $place;
        for (; $run < $endRun; ++$run) {
            $count += count($this->runs[$run]);
        }
        return $count;
    }

    /**
     * Keys that begin with $prefix, those behind $after only where it is given. Nothing may be added or removed meanwhile.
     *
     * @return \Generator<int, string>
     */
    public function after(string $prefix, ?string $after): \Generator
    {
        $this->settle();
        $behind = $after !== null && strcmp($after, $prefix) >= 0;
        [$run, $place] = $this->seek($behind ? $after . "\0" : $prefix);
        $length = strlen($prefix);
        for ($runs = count($this->runs); $run < $runs; ++$run, $place = 0) {
            $keys = $this->runs[$run];
            for ($n = count($keys); $place < $n; ++$place) {
                if (strncmp($keys[$place], $prefix, $length) !== 0) {
                    return;
                }
                yield $keys[$place];
            }
        }
    }

    /**
     * Removes every key that begins with $prefix.
     *
     * @return list<string> those
     */
    public function cut(string $prefix): array
    {
        $this->settle();
        [$first, $place] = $this->seek($prefix);
        [$last, $end] = $this->seekEnd($prefix);
        if ($first === $last) {
            if ($place === $end) {
                return [];
            }
            $cut = array_splice($this->runs[$first], $place, $end - $place);
        } else {
            $cut = array_splice($this->runs[$first], $place);
            for ($run = $first + 1; $run < $last; ++$run) {
                array_push($cut, ...$this->runs[$run]);
            }
            if ($end > 0) {
                array_push($cut, ...array_splice($this->runs[$last], 0, $end));
            }
        }
        $this->count -= count($cut);
        // What is left of the first and the last run, if anything.
        $left = [];
        for ($run = $first; $run <= min($last, count($this->runs) - 1); ++$run) {
            if (($run === $first || $run === $last) && $this->runs[$run] !== []) {
                $left[] = $this->runs[$run];
            }
        }
        array_splice($this->runs, $first, $last - $first + 1, $left);
        array_splice($this->firsts, $first, $last - $first + 1, array_column($left, 0));
        return $cut;
    }

    public function clear(): void
    {
        $this->runs = $this->firsts = $this->added = $this->removed = [];
        $this->count = 0;
    }

    /**
     * Where the first key at or behind $key stands: a run and a place in it; behind the last run if there is none.
     *
     * @return array{int, int}
     */
    private function seek(string $key): array
    {
        $run = $this->runOf($key);
        if ($run < 0) {
            return [0, 0];
        }
        $place = self::lowerBound($this->runs[$run], $key);
        return $place < count($this->runs[$run]) ? [$run, $place] : [$run + 1, 0];
    }

    /** @return array{int, int} where the first key behind all those with $prefix stands */
    private function seekEnd(string $prefix): array
    {
        $stem = rtrim($prefix, "\xff");
        if ($stem === '') {
            return [count($this->runs), 0];
        }
        $last = strlen($stem) - 1;
        return $this->seek(substr($stem, 0, $last) . chr(ord($stem[$last]) + 1));
    }

    /** The last run whose first key is not behind $key; -1: there is none. */
    private function runOf(string $key): int
    {
        $low = 0;
        $high = count($this->firsts);
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if (strcmp($this->firsts[$middle], $key) <= 0) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        return $low - 1;
    }

    /** @param list<string> $keys */
    private static function lowerBound(array $keys, string $key): int
    {
        $low = 0;
        $high = count($keys);
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if (strcmp($keys[$middle], $key) < 0) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        return $low;
    }

    private function settle(): void
    {
        $changes = count($this->added) + count($this->removed);
        if ($changes === 0) {
            return;
        }
        if ($changes > 32 && $changes * 16 > $this->count) {
            $this->rebuild();
        } else {
            foreach ($this->removed as $key => $_) {
                $this->drop((string) $key);
            }
            foreach ($this->added as $key => $_) {
                $this->place((string) $key);
            }
        }
        $this->added = $this->removed = [];
    }

    private function rebuild(): void
    {
        $keys = array_map(strval(...), array_keys($this->added));
        foreach ($this->runs as $run) {
            foreach ($run as $key) {
                if (!isset($this->removed[$key])) {
                    $keys[] = $key;
                }
            }
        }
        sort($keys, SORT_STRING);
        $this->runs = array_chunk($keys, self::RUN);
        $this->firsts = array_column($this->runs, 0);
        $this->count = count($keys);
    }

    private function drop(string $key): void
    {
        $run = $this->runOf($key);
        array_splice($this->runs[$run], self::lowerBound($this->runs[$run], $key), 1);
        --$this->count;
        if ($this->runs[$run] === []) {
            array_splice($this->runs, $run, 1);
            array_splice($this->firsts, $run, 1);
        } else {
            $this->begin($run);
        }
    }

    /** Notes the first key of a run, which has changed. */
    private function begin(int $run): void
    {
        array_splice($this->firsts, $run, 1, [$this->runs[$run][0]]);
    }

    private function place(string $key): void
    {
        ++$this->count;
        if ($this->runs === []) {
            $this->runs = [[$key]];
            $this->firsts = [$key];
            return;
        }
        $run = max($this->runOf($key), 0);
        array_splice($this->runs[$run], self::lowerBound($this->runs[$run], $key), 0, [$key]);
        if (count($this->runs[$run]) > 2 * self::RUN) {
            $halves = array_chunk($this->runs[$run], self::RUN);
            array_splice($this->runs, $run, 1, $halves);
            array_splice($this->firsts, $run, 1, array_column($halves, 0));
        } else {
            $this->begin($run);
        }
    }
}
