<?php

declare(strict_types=1);

namespace Coppice\Psr;

/** A key, or an item's expiry, that PSR-6 does not allow. */
class CachePoolInvalidArgumentException extends \InvalidArgumentException implements \Psr\Cache\InvalidArgumentException
{
}
