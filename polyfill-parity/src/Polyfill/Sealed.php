<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * What the extension's classes are by their handlers: objects that can't be serialized or given properties.
 *
 * @internal
 */
trait Sealed
{
    /** @return never */
    public function __serialize(): array
    {
        throw new \Exception("Serialization of '" . self::class . "' is not allowed");
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \Exception("Unserialization of '" . self::class . "' is not allowed");
    }

    public function __set(string $name, mixed $value): void
    {
        throw new \Error('Cannot create dynamic property ' . self::class . '::$' . $name);
    }
}
