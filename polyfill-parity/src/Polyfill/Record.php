<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * An entry, of the local store or as the owner sent it. Never given to a script.
 *
 * @internal
 */
final class Record
{
    /** Whether `$value` is what `$bytes` stand for; the bytes are gone then. */
    public bool $isDecoded = false;
    public mixed $value = null;
    /** Length of the encoded value. */
    public int $size;
    /** When it ends for refreshers; null: with its deadline. */
    public ?int $hardDeadline = null;
    /** How long the value took to compute, in microseconds. */
    public int $computeMicros = 0;
    /** @var list<string> in bytewise order */
    public array $tags = [];
    /** The local store's: bytes it accounts for. */
    public int $cost = 0;
    /** The local store's: its place in the eviction ring. */
    public int $slot = -1;
    /** The local store's: read since the ring's hand came by. */
    public bool $wasRead = false;

    /** @param ?int $deadline in ms of Clock::now(); null: none */
    public function __construct(
        public int $type,
        public string $bytes,
        public int $version,
        public ?int $deadline,
    ) {
        $this->size = strlen($bytes);
    }
}
