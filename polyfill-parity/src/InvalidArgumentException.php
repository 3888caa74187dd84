<?php

declare(strict_types=1);

namespace Coppice;

/** A DSN, option, setting, TTL or argument that can't be used; the message names it. */
class InvalidArgumentException extends \InvalidArgumentException implements CacheException
{
}
