<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\InvalidArgumentException;

/** @internal */
final class Tags
{
    private const LONGEST = 1024;

    /**
     * @param array<mixed> $tags
     * @return list<string>
     * @throws InvalidArgumentException
     */
    public static function check(array $tags): array
    {
        $list = [];
        foreach ($tags as $tag) {
            if (!is_string($tag)) {
                throw new InvalidArgumentException('a tag must be a string, ' . Options::typeName($tag) . ' given');
            }
            if ($tag === '') {
                throw new InvalidArgumentException('a tag is empty');
            }
            if (strlen($tag) > self::LONGEST) {
                throw new InvalidArgumentException('a tag has ' . strlen($tag) . ' bytes; ' . self::LONGEST . ' are the limit');
            }
            $list[] = $tag;
        }
        return $list;
    }
}
