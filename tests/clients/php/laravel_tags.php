<?php
// Laravel's cache tags and throttle on the redis store. See laravel_setup.php for its arguments.
declare(strict_types=1);
require __DIR__ . '/laravel_setup.php';

use Illuminate\Contracts\Redis\LimiterTimeoutException;
use Illuminate\Support\Facades\Redis as RedisFacade;

/** How much memory the server says it uses. */
function used(): int
{
    preg_match('/^used_memory:(\d+)/m', (string) raw(1, 'INFO', 'memory'), $found);
    return (int) $found[1];
}

test('an entry goes with any of its tags', function (): void {
    cache()->tags(['people', 'artists'])->put('John', 'singer', 600);
    cache()->tags(['people', 'authors'])->put('Anne', 'writer', 600);
    cache()->put('John', 'untagged', 600);
    Check::same(['singer', 'writer'], [cache()->tags(['people', 'artists'])->get('John'), cache()->tags(['people', 'authors'])->get('Anne')]);
    cache()->tags('authors')->flush();
    Check::same(['singer', null, 'untagged'], [cache()->tags(['people', 'artists'])->get('John'), cache()->tags(['people', 'authors'])->get('Anne'), cache()->get('John')]);
    cache()->tags(['people'])->flush();
    Check::same([null, 'untagged'], [cache()->tags(['people', 'artists'])->get('John'), cache()->get('John')]);
});
test('equal keys under different tags are different entries', function (): void {
    cache()->tags('a')->put('k', 'of a', 600);
    cache()->tags('b')->put('k', 'of b', 600);
    foreach (['a', 'b'] as $tag) {
        Check::same("of $tag", cache()->tags($tag)->get('k'));
        Check::same("made for $tag", cache()->tags($tag)->flexible('page', [300, 600], fn () => "made for $tag"));
    }
    cache()->tags('a')->flush();
    Check::same([null, 'of b'], [cache()->tags('a')->get('k'), cache()->tags('b')->get('k')]);
    Check::same('made for b', cache()->tags('b')->get('page'));
});
test('every way of writing is tagged', function (): void {
    $tagged = cache()->tags('every');
    $tagged->add('added', 'x', 600);
    $tagged->forever('ever', 'x');
    $tagged->increment('n');
    $tagged->increment('n', 4);
    $tagged->decrement('m', 2);
    $tagged->putMany(['p' => 1, 'q' => 2], 600);
    $tagged->remember('r', 600, fn () => 'x');
    Check::same([5, -2], [(int) $tagged->get('n'), (int) $tagged->get('m')]);
    $tagged->flush();
    Check::same(array_fill(0, 7, null), array_map(fn ($key) => $tagged->get($key), ['added', 'ever', 'n', 'm', 'p', 'q', 'r']));
    Check::same(0, raw(1, 'DBSIZE'));
});
test('thousands of entries under one tag', function (): void {
    $count = Check::long() ? 500000 : 5000;
    for ($n = 0; $n < $count; $n += 1000) {
        RedisFacade::connection('cache')->pipeline(function ($pipe) use ($n): void {
            for ($i = $n; $i < $n + 1000; ++$i) {
                $pipe->setex("shop_cache_bulk$i", 600, 'v');
                $pipe->zadd('shop_cache_tag:bulk:entries', time() + 600, "bulk$i");
            }
        });
    }
    $before = memory_get_usage();
    memory_reset_peak_usage();
    cache()->tags('bulk')->flush();
    Check::same(0, raw(1, 'DBSIZE'));
    Check::true(memory_get_peak_usage() - $before < 64 << 20, 'the client\'s memory does not grow with the tag');
});
test('what ran out leaves the tags', function (): void {
    cache()->tags('mixed')->put('short', 'v', 1);
    cache()->tags('mixed')->put('long', 'v', 600);
    Check::until(fn () => cache()->tags('mixed')->get('short') === null);
    $tag = 'shop_database_shop_cache_tag:mixed:entries';
    Check::same(2, raw(1, 'ZCARD', $tag));
    Check::until(function () use ($tag): bool {
        cache()->getStore()->flushStaleTags();
        return raw(1, 'ZCARD', $tag) === 1;
    });
    Check::same('v', cache()->tags('mixed')->get('long'));
});
test('flushing again and again keeps the memory flat', function (): void {
    $rounds = Check::long() ? 20000 : 300;
    $cycle = function (int $rounds): int {
        for ($n = 0; $n < $rounds; ++$n) {
            cache()->tags('test')->flush();
            cache()->tags('test')->put(uniqid('', true), uniqid('', true), 600);
        }
        cache()->tags('test')->flush();
        return used();
    };
    $before = $cycle($rounds);
    Check::until(fn () => $cycle($rounds) <= $before + (1 << 18), 300);
    Check::same(0, raw(1, 'DBSIZE'));
});
test('several writers and one that flushes', function (): void {
    $lost = together(4, function (int $n): int {
        $lost = 0;
        for ($i = 0; $i < 100; ++$i) {
            if ($n === 0) {
                cache()->tags('shared')->flush();
            } else {
                cache()->tags(['shared', "own$n"])->put("k$i", "$n $i", 600);
                $got = cache()->tags(['shared', "own$n"])->get("k$i");
                $lost += $got === null || $got === "$n $i" ? 0 : 1;
            }
        }
        return $lost;
    });
    Check::same([0, 0, 0, 0], $lost);
    cache()->tags('shared')->flush();
    for ($n = 1; $n < 4; ++$n) {
        Check::same(null, cache()->tags(['shared', "own$n"])->get('k99'));
    }
});
test('the throttle lets through so many in a while', function (): void {
    $through = 0;
    for ($n = 0; $n < 20; ++$n) {
        try {
            RedisFacade::throttle('mails')->allow(5)->every(600)->block(0)->then(function () use (&$through): void {
                ++$through;
            });
        } catch (LimiterTimeoutException) {
            // Refused: what is counted is who came through.
        }
    }
    Check::same(5, $through);
    $limiter = new Illuminate\Redis\Limiters\DurationLimiter(RedisFacade::connection(), 'mails', 5, 600);
    Check::same(true, $limiter->tooManyAttempts());
    Check::same(0, max(0, $limiter->remaining));
    Check::true($limiter->decaysAt > time() + 500, 'when it ends');
    $limiter->clear();
    Check::same(false, $limiter->tooManyAttempts());
    $through = together(4, function (): int {
        $through = 0;
        for ($n = 0; $n < 20; ++$n) {
            $limiter = new Illuminate\Redis\Limiters\DurationLimiter(RedisFacade::connection(), 'raced', 30, 600);
            $through += $limiter->acquire() ? 1 : 0;
        }
        return $through;
    });
    Check::same(30, array_sum($through));
});
Check::end();
