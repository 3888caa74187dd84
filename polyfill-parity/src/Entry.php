<?php

declare(strict_types=1);

namespace Coppice;

/** What find() answers. */
final class Entry
{
    use Polyfill\Sealed;

    public readonly mixed $value;

    /** Seconds left; null: for ever. */
    public readonly ?float $ttl;

    /** Of this write of this key; never given twice. For cas(). */
    public readonly int $version;

    /** @var list<string> in bytewise order */
    public readonly array $tags;

    /** Length of the encoded value. */
    public readonly int $bytes;

    /** string, int, null, bool, float, array, serialized or igbinary. */
    public readonly string $encoding;

    /** @param list<string> $tags */
    private function __construct(mixed $value, ?float $ttl, int $version, array $tags, int $bytes, string $encoding)
    {
        $this->value = $value;
        $this->ttl = $ttl;
        $this->version = $version;
        $this->tags = $tags;
        $this->bytes = $bytes;
        $this->encoding = $encoding;
    }
}
