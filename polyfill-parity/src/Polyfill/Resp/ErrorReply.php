<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Resp;

/**
 * An error reply, without its '-'.
 *
 * @internal
 */
final class ErrorReply
{
    public function __construct(public readonly string $text)
    {
    }

    public function code(): string
    {
        return explode(' ', $this->text, 2)[0];
    }
}
