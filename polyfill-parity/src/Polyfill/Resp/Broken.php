<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Resp;

/**
 * The connection can't be used any further; the message is a sentence for the user.
 *
 * @internal
 */
final class Broken extends \Exception
{
    /** `$peerHadGone`: nothing of the request can have been seen. */
    public function __construct(string $text, public readonly bool $peerHadGone = false)
    {
        parent::__construct($text);
    }
}
