<?php

declare(strict_types=1);

namespace Coppice;

/** Every exception of this library. */
interface CacheException extends \Throwable
{
}
