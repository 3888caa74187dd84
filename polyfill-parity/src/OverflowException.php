<?php

declare(strict_types=1);

namespace Coppice;

/** A counter would leave the range of int; it was left as it was. */
class OverflowException extends \OverflowException implements CacheException
{
}
