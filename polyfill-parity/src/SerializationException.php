<?php

declare(strict_types=1);

namespace Coppice;

/** A value that can't be stored (closure, resource, recursive array …), or with on_error=throw can't be decoded. */
class SerializationException extends \RuntimeException implements CacheException
{
}
