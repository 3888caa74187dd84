<?php

declare(strict_types=1);

namespace Coppice;

/** A key that is empty, or longer than 4,096 bytes with the handle's prefix. */
class InvalidKeyException extends InvalidArgumentException
{
}
