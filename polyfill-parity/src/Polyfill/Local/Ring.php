<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Local;

/**
 * The order in which keys are looked at for eviction: CLOCK, as the extension's. A key that was read since the hand came by is
 * passed over once.
 *
 * A key has a slot; what was removed leaves its slot behind, which is skipped and swept in time: O(1) a key, amortised.
 *
 * @internal
 */
final class Ring
{
    /** @var array<int, string> by slot */
    private array $slots = [];
    private int $hand = 0;
    private int $next = 0;

    /** The key's slot. */
    public function add(string $key): int
    {
        $this->slots[$this->next] = $key;
        return $this->next++;
    }

    public function remove(int $slot): void
    {
        unset($this->slots[$slot]);
    }

    /**
     * The next slot and its key, which is taken out; null: there is none.
     *
     * @return ?array{int, string}
     */
    public function take(): ?array
    {
        if ($this->slots === []) {
            return null;
        }
        while (!isset($this->slots[$this->hand])) {
            ++$this->hand;
        }
        $slot = $this->hand++;
        $key = $this->slots[$slot];
        unset($this->slots[$slot]);
        $this->sweep();
        return [$slot, $key];
    }

    /**
     * A slot at random, which is taken out; null: there is none.
     *
     * @return ?array{int, string}
     */
    public function takeAny(): ?array
    {
        if ($this->slots === []) {
            return null;
        }
        for ($tries = 0; $tries < 32; ++$tries) {
            $slot = random_int($this->hand, $this->next - 1);
            if (isset($this->slots[$slot])) {
                $key = $this->slots[$slot];
                unset($this->slots[$slot]);
                return [$slot, $key];
            }
        }
        return $this->take();
    }

    public function clear(): void
    {
        $this->slots = [];
        $this->hand = $this->next = 0;
    }

    /** A PHP array keeps the room of what was taken from its front until it is made anew. */
    private function sweep(): void
    {
        if ($this->hand > 4096 && ($this->hand & 0xfff) === 0 && count($this->slots) * 4 < $this->next) {
            $slots = [];
            foreach ($this->slots as $slot => $key) {
                $slots[$slot] = $key;
            }
            $this->slots = $slots;
        }
    }
}
