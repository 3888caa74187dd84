<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Codec;

/**
 * Why an array can't be written; the message ends "the value for key … can't be stored: ".
 *
 * @internal
 */
final class Unencodable extends \Exception
{
}
