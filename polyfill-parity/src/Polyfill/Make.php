<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\Entry;
use Coppice\Lock;
use Coppice\Pairs;
use Coppice\Pending;
use Coppice\Scan;
use Coppice\Throttle;

/**
 * Objects whose constructors are private, so that scripts get them from a cache only.
 *
 * @internal
 */
final class Make
{
    /** @var array<class-string, array{\ReflectionClass<object>, \ReflectionMethod}> */
    private static array $makers = [];

    /**
     * @template T of Entry|Lock|Pairs|Pending|Scan|Throttle
     * @param class-string<T> $class
     * @return T
     */
    public static function object(string $class, mixed ...$arguments): object
    {
        [$reflection, $constructor] = self::$makers[$class] ??= [new \ReflectionClass($class), new \ReflectionMethod($class, '__construct')];
        /** @var T $object */
        $object = $reflection->newInstanceWithoutConstructor();
        $constructor->invoke($object, ...$arguments);
        return $object;
    }
}
