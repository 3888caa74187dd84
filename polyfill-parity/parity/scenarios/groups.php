<?php

declare(strict_types=1);

namespace Coppice\Parity;

require_once __DIR__ . '/../values.php';

/**
 * Figures when the owner has done away with what clear() removed, which it does in slices behind it.
 *
 * @return array<string, mixed>
 */
function settled(\Coppice\Cache $c): array
{
    for ($i = 0; $c->isShared() && $i < 200 && $c->stats()['entries'] !== $c->countPrefix(); ++$i) {
        usleep(5000);
    }
    return $c->stats();
}

return [
    'tags' => static function (Checks $t): void {
        $c = $t->open();
        $t->check('set', fn () => $c->set('a', 1, null, ['x', 'y']));
        $t->check('find', fn () => $c->find('a'));
        $t->check('order and doubles', fn () => [$c->set('b', 1, 60, ['z', 'a', 'z', "\0", "\xff", '5', 'a']), $c->find('b')->tags]);
        $t->check('named keys', fn () => [$c->set('c', 1, null, ['k' => 'x', 7 => 'w']), $c->find('c')->tags]);
        $t->check('a set without', fn () => [$c->set('a', 2), $c->find('a')->tags]);
        $t->check('increment keeps', fn () => [$c->set('n', 1, null, ['x']), $c->increment('n'), $c->find('n')->tags]);
        $t->check('touch keeps', fn () => [$c->touch('n', 60), $c->find('n')->tags]);
        $t->check('cas drops', fn () => [$c->cas('n', $c->find('n')->version, 5), $c->find('n')->tags]);
        $t->check('add', fn () => [$c->add('d', 1, null, ['x']), $c->add('d', 1, null, ['other']), $c->find('d')->tags]);
        $t->check('replace', fn () => [$c->replace('d', 1, null, ['q']), $c->find('d')->tags]);
        $t->check('setMultiple', fn () => [$c->setMultiple(['m.1' => 1, 'm.2' => 2, 'm.3' => 3], null, ['many', 'x']), $c->find('m.2')->tags]);
        $t->check('stats', fn () => array_intersect_key(settled($c), ['tags' => 1, 'tag_memberships' => 1]));
        $t->check('invalidate none', fn () => $c->invalidateTags());
        $t->check('invalidate unknown', fn () => $c->invalidateTags('unknown'));
        $t->check('invalidate', fn () => [$c->invalidateTags('x'), $c->keys()]);
        $t->check('invalidate several', fn () => [$c->invalidateTags('z', 'a', 'q', 'z'), $c->keys()]);
        $t->check('stats', fn () => array_intersect_key(settled($c), ['tags' => 1, 'tag_memberships' => 1]));
        $v = $c->prefix('view.');
        $v->set('a', 1, null, ['t']);
        $c->set('a', 1, null, ['t']);
        $t->check('tags belong to the database', fn () => [$v->invalidateTags('t'), $c->keys()]);
        $t->check('delete', fn () => [$c->set('k', 1, null, ['t']), $c->delete('k'), settled($c)['tags']]);
        $t->check('deletePrefix', fn () => [$c->set('p.k', 1, null, ['t']), $c->deletePrefix('p.'), settled($c)['tags']]);
        $t->check('pull', fn () => [$c->set('k', 1, null, ['t']), $c->pull('k'), settled($c)['tags']]);
        $t->check('clear', fn () => [$c->set('k', 1, null, ['t']), $c->clear(), settled($c)['tags'], settled($c)['tag_memberships']]);
        $t->check('a TTL of 0', fn () => [$c->set('k', 1, 0, ['t']), settled($c)['tags']]);
        foreach (['empty' => [''], 'longest' => [str_repeat('t', 1024)], 'too long' => [str_repeat('t', 1025)], 'int' => [5], 'null' => [null], 'array' => [[]], 'second' => ['good', ''], 'bool' => [true], 'object' => [new Point()]] as $name => $tags) {
            $t->check("set, tag $name", fn () => $c->set('k', 1, null, $tags));
            $t->check("setMultiple, tag $name", fn () => $c->setMultiple(['k' => 1], null, $tags));
            $t->check("add, tag $name", fn () => $c->add('new', 1, null, $tags));
            $t->check("invalidateTags, tag $name", fn () => $c->invalidateTags(...$tags));
            $t->check("pending, tag $name", fn () => $c->remember('pending', 1, function ($p) use ($tags) { $p->tags(...$tags); return 1; }));
        }
        $many = array_map(static fn (int $i): string => "tag $i", range(1, 4097));
        $t->check('4096 tags', fn () => $c->set('many', 1, null, array_slice($many, 0, 4096)));
        $t->check('4097 tags', fn () => $c->set('more', 1, null, $many));
        $t->check('4097 tags with doubles', fn () => $c->set('doubles', 1, null, [...array_slice($many, 0, 4096), 'tag 1']));
        $t->check('4097 tags of many', fn () => $c->setMultiple(['m' => 1], null, $many));
        $t->check('keys', fn () => $c->keys());
        $t->check('invalidate 4097', fn () => $c->invalidateTags(...$many));
    },
    'remember' => static function (Checks $t): void {
        $c = $t->open();
        $times = 0;
        $compute = function () use (&$times) { return 'computed ' . ++$times; };
        $t->check('cold', fn () => $c->remember('k', 60, $compute));
        $t->check('hit', fn () => $c->remember('k', 60, $compute));
        $t->check('forced', fn () => $c->remember('k', 60, $compute, INF));
        $t->check('after forced', fn () => [$c->get('k'), $c->find('k')]);
        $t->check('beta 0', fn () => $c->remember('k', 60, $compute, 0));
        $t->check('what it is called with', fn () => $c->remember('args', 60, fn (...$a) => array_map(get_debug_type(...), $a)));
        $t->check('tags', fn () => [$c->remember('tagged', 60, function ($p) { $p->tags('first'); $p->tags('b', 'a', 'b'); return 1; }), $c->find('tagged')]);
        $t->check('ttl', fn () => [$c->remember('ttl', null, function ($p) { $p->ttl(100); return 1; }), round($c->find('ttl')->ttl, -1)]);
        $t->check('ttl 0', fn () => [$c->remember('none', 60, function ($p) { $p->ttl(0); return 1; }), $c->has('none')]);
        $t->check('ttl null', fn () => [$c->remember('ever', 60, function ($p) { $p->ttl(null); return 1; }), $c->find('ever')->ttl]);
        $t->check('skip', fn () => [$c->remember('skip', 60, function ($p) { $p->skip(); return 1; }), $c->has('skip')]);
        foreach ([null, false, [], 0, ''] as $value) {
            $t->check('keeps ' . json_encode($value), fn () => [$c->remember('v' . json_encode($value), 60, fn () => $value), $c->remember('v' . json_encode($value), 60, fn () => 'again')]);
        }
        $t->check('throws', fn () => $c->remember('throws', 60, fn () => throw new \DomainException('mine')));
        $t->check('after throws', fn () => [$c->has('throws'), $c->remember('throws', 60, fn () => 'good')]);
        $t->check('not serializable', fn () => is_callable($c->remember('closure', 60, fn () => fn () => 1)));
        $t->check('not serializable again', fn () => is_callable($c->remember('closure', 60, fn () => fn () => 1)));
        $t->check('after that', fn () => $c->has('closure'));
        $t->check('nested', fn () => $c->remember('outer', 60, fn () => 'o' . $c->remember('inner', 60, fn () => 'i')));
        $t->check('nested, both stored', fn () => [$c->get('outer'), $c->get('inner')]);
        $t->check('the same key inside', fn () => $c->remember('self', 60, fn () => 'o' . $c->remember('self', 60, fn () => 'i')));
        $t->check('the same key inside, stored', fn () => $c->get('self'));
        foreach ([
            'delete' => fn () => $c->delete('r'), 'set' => fn () => $c->set('r', 'mine'), 'clear' => fn () => $c->clear(), 'deletePrefix' => fn () => $c->deletePrefix('r'), 'its tag' => fn () => $c->invalidateTags('t'), 'add' => fn () => $c->add('r', 'added'),
            'another tag' => fn () => $c->invalidateTags('u'), 'another key' => fn () => $c->delete('other'), 'another prefix' => fn () => $c->deletePrefix('s'), 'touch' => fn () => $c->touch('r', 5), 'increment' => fn () => $c->increment('r'), 'setMultiple' => fn () => $c->setMultiple(['r' => 'many']),
            'deleteMultiple' => fn () => $c->deleteMultiple(['a', 'r']), 'pull' => fn () => $c->pull('r'), 'replace' => fn () => $c->replace('r', 1), 'get' => fn () => $c->get('r'), 'set with ttl 0' => fn () => $c->set('r', 1, 0),
        ] as $name => $act) {
            $c->delete('r');
            $t->check("$name meanwhile", fn () => $c->remember('r', 60, function ($p) use ($act) { $act(); $p->tags('t'); return 'computed'; }));
            $t->check("$name meanwhile, stored", fn () => $c->find('r'));
        }
        foreach (['beta' => [-1.0, NAN, -INF, -0.0], 'stale' => [-1.0, NAN, INF], 'wait' => [-1.0, NAN, 0.0, INF, 1e30]] as $name => $list) {
            foreach ($list as $value) {
                $t->check("$name $value", fn () => $c->remember("bad $name $value", 60, fn () => 1, ...[$name => $value]));
            }
        }
        foreach (['time', 'strtoupper', 'nosuch', 'phpversion', [new Point(), 'none'], new Point()] as $i => $callable) {
            $t->check("callable $i", fn () => gettype($c->remember("callable $i", 60, $callable)));
        }
        $t->check('over a value that cannot be decoded', fn () => [$c->set('awake', new ThrowsAwake()), $c->remember('awake', 60, fn () => 'computed'), $c->get('awake')]);
        $t->check('over a throttle', fn () => [$c->throttle('limit', 5, 60), $c->remember('limit', 60, fn () => 1)]);
        $t->check('under a prefix', fn () => [$c->prefix('p.')->remember('k', 60, fn () => 5), $c->get('p.k')]);
    },
    'stale values' => static function (Checks $t): void {
        $c = $t->open();
        $c->remember('k', 0.1, fn () => ['old'], 0, 60);
        $t->check('fresh', fn () => [$c->remember('k', 0.1, fn () => ['early'], 0, 60), $c->get('k')]);
        usleep(250_000);
        $t->check('a miss for others', fn () => [$c->get('k'), $c->has('k'), $c->find('k'), $c->keys(), $c->countPrefix(), $c->touch('k', 5), $c->replace('k', 1)]);
        $t->check('prune leaves it', fn () => $c->prune());
        $inner = null;
        $t->check('one computes', function () use ($c, &$inner) {
            return $c->remember('k', 60, function () use ($c, &$inner) {
                $inner = $c->remember('k', 60, fn () => 'inner', 0, 60);
                return ['new'];
            }, 0, 60);
        });
        $t->check('the others have the old one', fn () => $inner);
        $t->check('then', fn () => $c->get('k'));
        $c->remember('gone', 0.05, fn () => 1, 0, 0.05);
        usleep(250_000);
        $t->check('beyond the window', fn () => $c->remember('gone', 60, fn () => 'new', 0, 60));
    },
    'locks' => static function (Checks $t): void {
        $c = $t->open();
        $a = $c->lock('l');
        $b = $c->lock('l');
        $t->check('free', fn () => [$a->isLocked(), $a->isHeld(), $a->fence(), $a->release(), $a->forceRelease(), $a->refresh()]);
        $t->check('acquire', fn () => [$a->acquire(), $a->isHeld(), $a->isLocked(), $b->isHeld(), $b->isLocked(), $a->fence() > 0, $b->fence()]);
        $t->check('again', fn () => [$a->acquire(), $b->acquire()]);
        $t->check('not its own', fn () => [$b->release(), $b->refresh(5), $a->isHeld()]);
        $t->check('release', fn () => [$a->release(), $a->release(), $b->acquire(), $b->release()]);
        $t->check('tokens', fn () => [strlen($a->owner()), $a->owner() !== $b->owner(), $c->lock('m', 5, 'mine')->owner()]);
        $t->check('by token', fn () => [$c->lock('m', 60, 'mine')->acquire(), $c->lock('m', 60, 'yours')->acquire(), $c->lock('m', 60, 'mine')->isHeld(), $c->lock('m', 60, 'mine')->release(), $c->lock('m')->isLocked()]);
        $t->check('lives on', function () use ($c) { $c->lock('token', 60, 'mine')->acquire(); return $c->lock('token')->isLocked(); });
        $t->check('ends with the object', function () use ($c) { $l = $c->lock('object'); $l->acquire(); $x = $l->isLocked(); unset($l); return [$x, $c->lock('object')->isLocked()]; });
        $t->check('force', fn () => [$c->lock('token')->forceRelease(), $c->lock('token')->isLocked()]);
        $t->check('lease', function () use ($c) { $l = $c->lock('lease', 0.05); $l->acquire(); usleep(150_000); return [$l->isHeld(), $l->release(), $l->refresh(), $c->lock('lease')->acquire()]; });
        $t->check('refresh', function () use ($c) { $l = $c->lock('refresh', 0.1); $l->acquire(); $l->refresh(60); usleep(200_000); return [$l->isHeld(), $l->release()]; });
        $t->check('fences rise', function () use ($c) { $l = $c->lock('fence'); $l->acquire(); $f = $l->fence(); $l->acquire(); $same = $l->fence() === $f; $l->release(); $l->acquire(); return [$same, $l->fence() > $f]; });
        $t->check('names are apart', function () use ($c) { $l = $c->lock('k'); $l->acquire(); $c->set('k', 1); $c->clear(); $c->deletePrefix('k'); return [$l->isHeld(), $c->keys()]; });
        $t->check('prefixes', function () use ($c) { $l = $c->prefix('p.')->lock('x', 60, 'o'); return [$l->acquire(), $c->lock('p.x')->isLocked(), $c->lock('x')->isLocked(), $c->prefix('q.')->flushLocks(), $l->isHeld(), $c->prefix('p.')->flushLocks(), $l->isHeld()]; });
        $t->check('flush', function () use ($c) { $l = $c->lock('f', 60, 'o'); $l->acquire(); return [$c->flushLocks(), $l->isHeld()]; });
        foreach ([0.0, -1.0, NAN, -INF, 1e30, 0.0001] as $lease) {
            $t->check("lease $lease", fn () => $c->lock("lease $lease", $lease)->acquire());
            $t->check("refresh $lease", fn () => $c->lock("lease $lease")->refresh($lease));
            $t->check("wait $lease", fn () => $c->lock('wait')->acquire($lease));
        }
        foreach (['empty' => '', 'force' => 'FORCE', 'Force' => 'force', 'longest' => str_repeat('o', 256), 'too long' => str_repeat('o', 257), 'bytes' => "\0\xff"] as $name => $owner) {
            $t->check("owner $name", fn () => $c->lock('owner', 60, $owner)->owner() === $owner);
        }
        foreach (['' => '', 'longest' => str_repeat('n', 4096), 'too long' => str_repeat('n', 4097)] as $name => $lock) {
            $t->check("name $name", fn () => $c->lock($lock)->acquire());
            $t->check("name $name behind a prefix", fn () => $c->prefix('p')->lock($lock)->acquire());
        }
    },
    'throttle' => static function (Checks $t): void {
        $c = $t->open();
        foreach ([[3, 60.0], [1, 3600.0], [1000, 600.0]] as [$limit, $per]) {
            foreach ([1, 1, 1, 1, 0, 2, 5000, 0] as $cost) {
                $t->check("$limit in $per, cost $cost", fn () => $c->throttle("t $limit", $limit, $per, $cost));
            }
        }
        $t->check('all at once', fn () => [$c->throttle('once', 10, 60, 10), $c->throttle('once', 10, 60)]);
        $t->check('it comes back', function () use ($c) { $c->throttle('back', 10, 0.5, 10); $no = $c->throttle('back', 10, 0.5, 10); usleep(600_000); return [$no->allowed, $c->throttle('back', 10, 0.5, 10)->allowed]; });
        foreach ([[0, 1.0, 1], [-1, 1.0, 1], [1, 0.0, 1], [1, -1.0, 1], [1, NAN, 1], [1, INF, 1], [1, 1.0, -1], [PHP_INT_MAX, 1.0, 1], [1, 1e12, 1], [1, 0.0001, 1], [1_000_000_000, 60.0, 1], [5, 60.0, PHP_INT_MAX]] as $i => [$limit, $per, $cost]) {
            $t->check("limit $limit per $per cost $cost", fn () => $c->throttle("bad $i", $limit, $per, $cost)->allowed);
        }
        $c->set('value', 1);
        $t->check('over a value', fn () => $c->throttle('value', 1, 1));
        $t->check('get', fn () => $c->get('once'));
        $t->check('increment', fn () => $c->increment('once'));
        $t->check('has', fn () => [$c->has('once'), $c->has('none')]);
        $t->check('find', fn () => $c->find('once'));
        $t->check('pull', fn () => $c->pull('once'));
        $t->check('getMultiple', fn () => $c->getMultiple(['value', 't 3']));
        $t->check('set over it', fn () => [$c->set('t 3', 1), $c->get('t 3')]);
        $t->check('delete', fn () => [$c->delete('t 1'), $c->throttle('t 1', 1, 60)]);
    },
];
