<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * Objects that stand for something outside of PHP, of which a copy would be no second one.
 *
 * @internal
 */
trait Uncloneable
{
    public function __clone()
    {
        throw new \Error('Trying to clone an uncloneable object of class ' . self::class);
    }
}
