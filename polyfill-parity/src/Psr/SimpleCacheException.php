<?php

declare(strict_types=1);

namespace Coppice\Psr;

/** A value that can't be stored, or with on_error=throw a cache that is full or away; the cause is the previous exception. */
class SimpleCacheException extends \RuntimeException implements \Psr\SimpleCache\CacheException
{
}
