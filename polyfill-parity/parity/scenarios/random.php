<?php

declare(strict_types=1);

namespace Coppice\Parity;

require_once __DIR__ . '/../values.php';

/** One of a list, by the seed. */
function one_of(array $list): mixed
{
    return $list[mt_rand(0, count($list) - 1)];
}

return [
    'random operations' => static function (Checks $t, int $steps): void {
        $c = $t->open();
        $views = ['' => $c, 'a' => $c->prefix('a'), 'b.' => $c->prefix('b.')];
        $keys = ['a', 'a.1', 'a.2', 'ab', 'b.', 'b.x', 'b.y', 'c', '5', '-5', '05', "\0", "\xff", "\xff\xff", 'counter', 'n'];
        $tags = ['x', 'y', 'z', '5', "\xff"];
        $ttls = [null, null, null, 100, 0, -1, 50.5];
        $prefixes = ['a', 'a.', 'b.', "\xff", '5', 'none', 'c'];
        for ($i = 0; $i < $steps; ++$i) {
            $prefix = one_of(['', '', '', 'a', 'b.']);
            $v = $views[$prefix];
            $key = one_of($keys);
            $other = one_of($keys);
            $value = any_value();
            $ttl = one_of($ttls);
            $with = mt_rand(0, 2) === 0 ? [one_of($tags), one_of($tags)] : [];
            $n = mt_rand(-3, 3);
            $op = mt_rand(0, 27);
            [$name, $call] = match ($op) {
                0, 1, 2 => ['set', fn () => $v->set($key, $value, $ttl, $with)],
                3, 4 => ['get', fn () => $v->get($key, 'default')],
                5 => ['delete', fn () => $v->delete($key)],
                6 => ['add', fn () => $v->add($key, $value, $ttl, $with)],
                7 => ['replace', fn () => $v->replace($key, $value, $ttl, $with)],
                8 => ['increment', fn () => $v->increment(one_of_counters($key), $n, $n, $ttl)],
                9 => ['decrement', fn () => $v->decrement(one_of_counters($key), $n, $n)],
                10 => ['pull', fn () => $v->pull($key, 'default')],
                11 => ['touch', fn () => $v->touch($key, $ttl)],
                12, 13 => ['find', fn () => $v->find($key)],
                14 => ['has', fn () => $v->has($key)],
                15 => ['getMultiple', fn () => $v->getMultiple([$key, $other, 'never'], $n)],
                16 => ['setMultiple', fn () => $v->setMultiple([$key => $value, $other => $n], $ttl, $with)],
                17 => ['deleteMultiple', fn () => $v->deleteMultiple([$key, $other])],
                18 => ['deletePrefix', fn () => $v->deletePrefix($prefixes[abs($n)])],
                19 => ['countPrefix', fn () => $v->countPrefix(['', ...$prefixes][abs($n)])],
                20 => ['keys', fn () => $v->keys(['', ...$prefixes][abs($n)], $n < 0 ? null : $key, abs($n))],
                21 => ['scan', fn () => $v->scan(['', ...$prefixes][abs($n)], $n < 0 ? null : $key, abs($n))],
                22 => ['invalidateTags', fn () => $v->invalidateTags(...$with, ...[$tags[abs($n)]])],
                23 => ['cas', fn () => $v->cas($key, ($v->find($key)->version ?? 2) + ($n < 0 ? 2 : 0), $value, $ttl)],
                24, 25 => ['remember', fn () => $v->remember($key, $ttl, function ($p) use ($value, $with, $v, $other, $n) {
                    $with === [] || $p->tags(...$with);
                    $n === 3 && $v->delete($other);
                    $n === 2 && $v->invalidateTags('x');
                    $n === -3 && $p->skip();
                    return $value;
                }, 0)],
                26 => ['keys of all', fn () => $c->keys()],
                default => mt_rand(0, 9) === 0 ? ['clear', fn () => $v->clear()] : ['stats', fn () => array_keys($v->stats())],
            };
            $t->check("step $i: $name" . ($prefix === '' ? '' : " behind $prefix") . " $key", $call);
        }
        $t->check('all in the end', fn () => $c->scan());
    },
    'random values' => static function (Checks $t, int $steps): void {
        $c = $t->open();
        for ($i = 0; $i < $steps; ++$i) {
            $value = any_value();
            $t->check("value $i", fn () => [$c->set('k', $value), $c->get('k'), $c->find('k')->bytes, $c->getMultiple(['k'])]);
        }
    },
];

/** Counters count where something to count is more likely. */
function one_of_counters(string $key): string
{
    return strlen($key) > 2 ? 'counter' : 'n';
}
