<?php

declare(strict_types=1);

/* The routes of the application under test. */

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;

Route::get('/ten', function () {
    $keys = array_map(static fn (int $i): string => "config.$i", range(1, 10));
    foreach (array_keys(Cache::many($keys), null, true) as $key) {
        Cache::forever($key, ['name' => $key, 'values' => range(1, 20)]);
    }
    return ['right' => Cache::many($keys) === array_combine($keys, array_map(static fn (string $k): array => ['name' => $k, 'values' => range(1, 20)], $keys))];
});
Route::get('/visit', fn () => ['n' => Cache::increment('visits')]);
Route::get('/report', function () {
    $report = Cache::remember('report', 600, function () {
        Cache::increment('computations');
        usleep(100_000);
        return ['rows' => range(1, 10)];
    });
    return ['right' => $report === ['rows' => range(1, 10)]];
});
Route::get('/limited', fn () => ['allowed' => RateLimiter::hit('shared', 600) <= 50]);
Route::get('/locked', function () {
    // Read, wait, write: only the lock makes this right.
    return ['right' => Cache::lock('exclusive', 10)->block(20, function () {
        $n = Cache::get('exclusive', 0);
        usleep(2000);
        return Cache::forever('exclusive', $n + 1);
    })];
});
Route::get('/tagged', function () {
    $name = uniqid('', true);
    Cache::tags(['pages', $name])->put('page', $name, 60);
    $before = Cache::tags(['pages', $name])->get('page');
    Cache::tags($name)->flush();
    return ['right' => $before === $name && Cache::tags(['pages', $name])->get('page') === null];
});
Route::get('/session', fn (Request $request) => ['n' => $request->session()->increment('n')]);
Route::get('/figures', fn () => ['implementation' => (new ReflectionClass(Coppice\Cache::class))->isInternal() ? 'extension' : 'package', 'shared' => Cache::store('coppice')->getStore()->cache()->isShared(),
    'visits' => Cache::get('visits'), 'computations' => Cache::get('computations'), 'exclusive' => Cache::get('exclusive'), 'removed' => Cache::store('coppice')->deletePrefix('config.'), 'flushed' => Cache::flush(), 'left' => Cache::get('visits')]);
