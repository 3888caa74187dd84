<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Codec;

/**
 * What the array elements that are one PHP reference are bound to.
 *
 * @internal
 */
final class Place
{
    public function __construct(public mixed $value)
    {
    }
}
