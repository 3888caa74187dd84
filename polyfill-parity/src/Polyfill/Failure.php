<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

/**
 * Why a backend did nothing: thrown by backends, caught by the handle, which reports it as its options say.
 *
 * @internal
 */
final class Failure extends \Exception
{
    /** No owner, or it is not one that we may trust or talk to. */
    public const UNREACHABLE = 1;
    /** The owner reads its snapshot. */
    public const LOADING = 2;
    /** Too large, no room. */
    public const REFUSED = 3;
    public const NOT_INTEGER = 4;
    public const OVERFLOW = 5;
    public const WRONG_TYPE = 6;
    /** What the store alone can judge: more distinct tags than a key may have. */
    public const BAD_ARGUMENT = 7;
    /** A computed value. */
    public const NOT_SERIALIZABLE = 8;
    public const OTHER = 9;

    /** Bytes of a message; longer ones are cut off, as in the extension. */
    private const LONGEST = 399;

    public function __construct(public readonly int $kind, string $text)
    {
        parent::__construct(substr($text, 0, self::LONGEST));
    }
}
