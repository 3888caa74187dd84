<?php

declare(strict_types=1);

namespace Coppice\Psr;

/** A key, TTL or list that PSR-16 does not allow. */
class SimpleCacheInvalidArgumentException extends \InvalidArgumentException implements \Psr\SimpleCache\InvalidArgumentException
{
}
