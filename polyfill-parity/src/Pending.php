<?php

declare(strict_types=1);

namespace Coppice;

/** What remember() gives to its $compute: how the value that is being computed is to be stored. */
final class Pending
{
    use Polyfill\Sealed;
    use Polyfill\Uncloneable;

    private function __construct(private readonly Polyfill\PendingState $state)
    {
    }

    /** In place of remember()'s TTL; 0 or less: not at all. @throws InvalidArgumentException */
    public function ttl(null|int|float|\DateInterval $ttl): void
    {
        $this->state->ttl = Polyfill\Ttl::parse($ttl);
    }

    /** With these tags, in place of those of an earlier call. @throws InvalidArgumentException */
    public function tags(string ...$tags): void
    {
        $this->state->tags = Polyfill\Tags::check($tags);
    }

    /** Not at all: the value only goes to its caller, and who waits for it computes. */
    public function skip(): void
    {
        $this->state->skip = true;
    }
}
