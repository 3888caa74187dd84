<?php

declare(strict_types=1);

namespace Coppice;

/** The operation does not apply to what the key holds; it was left as it was. */
class WrongTypeException extends \RuntimeException implements CacheException
{
}
