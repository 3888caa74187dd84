<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * One walk over a range, page by page: memory does not grow with the range, and what is deleted or added meanwhile neither skips nor
 * repeats another key.
 *
 * @internal
 * @implements \Iterator<?string, mixed>
 */
final class ScanIterator implements \Iterator
{
    private const PAGE = 256;

    /** @var list<array{string, Record}> */
    private array $page = [];
    private bool $isLast = false;
    private int $place = 0;
    private ?string $resume = null;
    private int $taken = 0;
    private bool $isBusy = false;
    private bool $isBegun = false;
    private bool $isValid = false;
    private mixed $value = null;

    /**
     * @param string $prefix whole, as is `$after`
     * @param int $cut length of the handle's prefix
     */
    public function __construct(
        private readonly Backend $backend,
        private readonly Values $values,
        private readonly bool $throws,
        private readonly string $prefix,
        private readonly ?string $after,
        private readonly int $limit,
        private readonly int $cut,
    ) {
    }

    public function rewind(): void
    {
        if ($this->isBusy) {
            return;
        }
        $this->isBegun = true;
        $this->page = [];
        $this->isLast = false;
        $this->place = $this->taken = 0;
        $this->resume = $this->after;
        $this->settle();
    }

    public function valid(): bool
    {
        $this->begin();
        return $this->isValid;
    }

    public function current(): mixed
    {
        $this->begin();
        return $this->value;
    }

    public function key(): ?string
    {
        $this->begin();
        return $this->isValid ? substr($this->page[$this->place][0], $this->cut) : null;
    }

    public function next(): void
    {
        $this->begin();
        if ($this->isBusy || !$this->isValid) {
            return;
        }
        ++$this->place;
        $this->settle();
    }

    private function begin(): void
    {
        if (!$this->isBegun) {
            $this->rewind();
        }
    }

    /** Goes to the first entry at or after the current place that can be decoded; a rate limit's state is no value. */
    private function settle(): void
    {
        $this->value = null;
        $this->isValid = false;
        if ($this->limit !== 0 && $this->taken >= $this->limit) {
            return;
        }
        $this->isBusy = true;
        try {
            while ($this->place < count($this->page) || $this->nextPage()) {
                [$key, $record] = $this->page[$this->place];
                $value = null;
                if (ValueType::isValue($record->type) && $this->values->decode($record, substr($key, $this->cut), 'Scan::getIterator', $value)) {
                    ++$this->taken;
                    $this->value = $value;
                    $this->isValid = true;
                    return;
                }
                ++$this->place;
            }
        } finally {
            $this->isBusy = false;
        }
    }

    /** False at the end, and when the cache is away, which is reported. */
    private function nextPage(): bool
    {
        $wanted = $this->limit === 0 ? self::PAGE : min(self::PAGE, $this->limit - $this->taken);
        if ($this->page !== []) {
            if ($this->isLast) {
                return false;
            }
            $this->resume = $this->page[count($this->page) - 1][0];
        }
        $this->place = 0;
        try {
            [$this->page, $this->isLast] = $this->backend->scan($this->prefix, $this->resume, $wanted);
        } catch (Failure $e) {
            $this->page = [];
            $this->isLast = true;
            Report::failure($e, $this->throws, 'Scan::getIterator');
        }
        return $this->page !== [];
    }
}
