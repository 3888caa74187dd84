<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Codec;

/**
 * These bytes are no array encoding: truncated, hostile, or of another version.
 *
 * @internal
 */
final class Undecodable extends \Exception
{
}
