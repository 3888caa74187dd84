<?php

declare(strict_types=1);

namespace Coppice\Parity;

require_once __DIR__ . '/../values.php';

/** @return array<string, mixed> TTLs of every form by name; none ends while a test runs */
function ttls(): array
{
    $past = new \DateInterval('PT10S');
    $past->invert = 1;
    return [
        'null' => null, '60' => 60, '0.5e3' => 500.0, '1e30' => 1e30, '9e15' => 9e15, 'INF' => INF, 'largest' => PHP_INT_MAX, '0' => 0, '-1' => -1, '0.0' => 0.0, '-0.5' => -0.5,
        '-INF' => -INF, 'smallest' => PHP_INT_MIN, 'NAN' => NAN, 'PT90S' => new \DateInterval('PT90S'), 'P80Y' => new \DateInterval('P80Y'), 'PT0S' => new \DateInterval('PT0S'), 'past' => $past,
    ];
}

return [
    'ttl forms' => static function (Checks $t): void {
        $c = $t->open();
        foreach (ttls() as $name => $ttl) {
            foreach (['there', 'not there'] as $before) {
                $fresh = static function () use ($c, $before): void {
                    $c->clear();
                    $before === 'there' && $c->set('k', 7, 1000);
                };
                $calls = [
                    'set' => fn () => $c->set('k', 1, $ttl), 'add' => fn () => $c->add('k', 1, $ttl), 'replace' => fn () => $c->replace('k', 1, $ttl),
                    'cas' => fn () => $c->cas('k', $c->find('k')->version ?? 2, 1, $ttl), 'increment' => fn () => $c->increment('k', 1, 0, $ttl),
                    'decrement' => fn () => $c->decrement('k', 1, 0, $ttl), 'touch' => fn () => $c->touch('k', $ttl), 'setMultiple' => fn () => $c->setMultiple(['k' => 1, 'l' => 2], $ttl),
                    'remember' => fn () => $c->remember('k', $ttl, fn () => 'new'), 'set with tags' => fn () => $c->set('k', 1, $ttl, ['t']),
                    'pending' => fn () => $c->remember('p', 10, function ($p) use ($ttl) { $p->ttl($ttl); return 1; }),
                ];
                foreach ($calls as $method => $call) {
                    $fresh();
                    $t->check("$method, ttl $name, $before", $call);
                    $t->check("find after $method, ttl $name, $before", fn () => $c->find('k'));
                    $t->check("seconds after $method, ttl $name, $before", fn () => ($s = $c->find('k')?->ttl) === null ? null : round($s, -1));
                    $t->check("keys after $method, ttl $name, $before", fn () => $c->keys());
                }
            }
        }
    },
    'ttls that end' => static function (Checks $t): void {
        $c = $t->open();
        $c->set('short', 1, 0.1);
        $c->set('tiny', 1, 0.000001);
        $c->set('long', 1, 60);
        $c->setMultiple(['s.1' => 1, 's.2' => 2], 0.1, ['tag']);
        $c->increment('n', 5, 0, 0.1);
        $c->set('touched', 1, 0.1);
        $c->touch('touched', 60);
        $c->set('replaced', 1, 0.1);
        $c->set('replaced', 2);
        $t->check('a TTL below a millisecond is one', fn () => usleep(30_000) ?? $c->has('tiny'));
        usleep(250_000);
        foreach (['short', 'tiny', 'long', 's.1', 'n', 'touched', 'replaced'] as $key) {
            $t->check("get $key", fn () => $c->get($key, 'gone'));
            $t->check("has $key", fn () => $c->has($key));
            $t->check("find $key", fn () => $c->find($key));
        }
        $t->check('keys', fn () => $c->keys());
        $t->check('count', fn () => $c->countPrefix());
        $t->check('count s.', fn () => $c->countPrefix('s.'));
        $t->check('scan', fn () => $c->scan());
        $t->check('touch what is over', fn () => $c->touch('short', 60));
        $t->check('replace what is over', fn () => $c->replace('short', 60));
        $t->check('invalidate what is over', fn () => $c->invalidateTags('tag'));
        $t->check('delete a prefix that is over', fn () => $c->deletePrefix('s.'));
        $t->check('increment what is over', fn () => $c->increment('n'));
        $t->check('add what is over', fn () => $c->add('short', 'new'));
        $t->check('prune twice', fn () => $c->prune() >= 0 && $c->prune() === 0);
        $t->check('keys', fn () => $c->keys());
    },
    'bad keys' => static function (Checks $t): void {
        $c = $t->open();
        $c->set('k', 1);
        foreach (['empty' => '', 'longest' => str_repeat('k', 4096), 'too long' => str_repeat('k', 4097)] as $name => $key) {
            foreach (['none' => $c, 'short' => $c->prefix('p'), 'long' => $c->prefix(str_repeat('p', 4000))] as $prefix => $v) {
                $calls = [
                    'get' => fn () => $v->get($key), 'set' => fn () => $v->set($key, 1), 'delete' => fn () => $v->delete($key), 'has' => fn () => $v->has($key), 'add' => fn () => $v->add($key, 1),
                    'replace' => fn () => $v->replace($key, 1), 'cas' => fn () => $v->cas($key, 1, 1), 'increment' => fn () => $v->increment($key), 'decrement' => fn () => $v->decrement($key),
                    'pull' => fn () => $v->pull($key), 'touch' => fn () => $v->touch($key, 1), 'find' => fn () => $v->find($key), 'remember' => fn () => $v->remember($key, 1, fn () => 2),
                    'getMultiple' => fn () => count($v->getMultiple(['a', $key])), 'setMultiple' => fn () => $v->setMultiple(['a' => 1, $key => 2]), 'deleteMultiple' => fn () => $v->deleteMultiple(['a', $key]),
                    'deletePrefix' => fn () => $v->deletePrefix($key), 'countPrefix' => fn () => $v->countPrefix($key), 'keys' => fn () => count($v->keys($key)), 'keys after' => fn () => count($v->keys('', $key)),
                    'scan' => fn () => count(iterator_to_array($v->scan($key))), 'scan after' => fn () => count(iterator_to_array($v->scan('', $key))), 'throttle' => fn () => $v->throttle($key, 1, 1),
                    'lock' => fn () => $v->lock($key)->isLocked(), 'prefix' => fn () => $v->prefix($key),
                ];
                foreach ($calls as $method => $call) {
                    $t->check("$method, key $name, prefix $prefix", $call);
                }
            }
        }
        $t->check('nothing else is there', fn () => $c->countPrefix() < 20);
    },
    'arguments of wrong types' => static function (Checks $t): void {
        $c = $t->open();
        $c->set('k', 1);
        foreach ([[], new \stdClass(), fopen('php://memory', 'r')] as $bad) {
            $calls = [
                'get' => fn () => $c->get($bad), 'set' => fn () => $c->set($bad, 1), 'getMultiple' => fn () => $c->getMultiple([$bad]), 'deleteMultiple' => fn () => $c->deleteMultiple(['a', $bad]),
                'ttl' => fn () => $c->set('k', 1, $bad), 'ttl of touch' => fn () => $c->touch('k', $bad), 'ttl of increment' => fn () => $c->increment('k', 1, 0, $bad), 'by' => fn () => $c->increment('k', $bad),
                'keys' => fn () => $c->keys($bad), 'after' => fn () => $c->keys('', $bad), 'limit' => fn () => $c->keys('', null, $bad), 'cas' => fn () => $c->cas('k', $bad, 1), 'open' => fn () => \Coppice\Cache::open($bad),
                'tag' => fn () => $c->set('k', 1, null, [$bad]), 'invalidateTags' => fn () => $c->invalidateTags($bad), 'compute' => fn () => $c->remember('k', 1, $bad), 'per' => fn () => $c->throttle('k', 1, $bad),
            ];
            foreach ($calls as $name => $call) {
                $t->check("$name " . get_debug_type($bad), $call);
            }
        }
        foreach (['abc', '5', '1.5', true, ''] as $bad) {
            $calls = [
                'ttl' => fn () => $c->set('k', 1, $bad), 'limit' => fn () => $c->keys('', null, $bad), 'by' => fn () => $c->increment('n', $bad), 'compute' => fn () => $c->remember('none', 1, $bad),
                'per' => fn () => $c->throttle('t', 1, $bad), 'iterable' => fn () => $c->getMultiple($bad), 'pairs' => fn () => $c->setMultiple($bad), 'tags' => fn () => $c->set('k', 1, null, $bad),
            ];
            foreach ($calls as $name => $call) {
                $t->check("$name " . var_export($bad, true), $call);
            }
        }
        foreach ([1.5, true, null, 1, 'x'] as $key) {
            $t->check('a key in a list: ' . var_export($key, true), fn () => $c->getMultiple([$key, 'k']));
            $t->check('a key of a generator: ' . var_export($key, true), fn () => $c->setMultiple((static fn () => yield $key => 1)()));
            $t->check('a tag: ' . var_export($key, true), fn () => $c->set('k', 1, null, [$key]));
        }
        $t->check('too few', fn () => $c->get());
        $t->check('too few', fn () => $c->set('k'));
        $t->check('a negative limit', fn () => $c->keys('', null, -1));
        $t->check('a negative limit', fn () => $c->scan('', null, -1));
        $t->check('an iterator that throws', fn () => $c->getMultiple((static function () { yield 'a'; throw new \LogicException('mine'); })()));
        $t->check('an iterator that throws', fn () => $c->setMultiple((static function () { yield 'a' => 1; throw new \LogicException('mine'); })()));
        $t->check('nothing was stored', fn () => $c->keys());
    },
    'objects that are closed' => static function (Checks $t): void {
        $c = $t->open();
        $c->set('5', 1);
        $objects = ['Cache' => $c, 'Entry' => $c->find('5'), 'Scan' => $c->scan(), 'Pairs' => $c->getMultiple(['5']), 'Lock' => $c->lock('l'), 'Throttle' => $c->throttle('t', 1, 1)];
        foreach ($objects as $name => $object) {
            $t->check("the class of $name", fn () => get_class($object));
            $t->check("clone $name", fn () => clone $object);
            $t->check("serialize $name", fn () => serialize($object));
            $t->check("unserialize $name", fn () => unserialize('O:' . strlen(get_class($object)) . ':"' . get_class($object) . '":0:{}'));
            $t->check("a property of $name", function () use ($object) { $object->x = 1; });
            $t->check("new $name", fn () => is_string((function () use ($object) { try { new (get_class($object))(); } catch (\Error $e) { return get_class($e); } return 1; })()));
        }
        $t->check('readonly', function () use ($c) { $c->find('5')->value = 2; });
        $t->check('Pairs', fn () => count($c->getMultiple(['5', '6'])));
    },
    'counters' => static function (Checks $t): void {
        $c = $t->open();
        $c->setMultiple(['text' => 'abc', 'digits' => '41', 'zeros' => '007', 'minus zero' => '-0', 'float' => 1.5, 'array' => [1], 'null' => null, 'true' => true, 'max' => PHP_INT_MAX, 'min' => PHP_INT_MIN,
            'object' => new Point(), 'huge' => '99999999999999999999', 'empty' => '', 'space' => ' 1', 'long' => str_repeat('1', 100)]);
        foreach ($c->keys() as $key) {
            foreach ([1, 0, -1, PHP_INT_MAX, PHP_INT_MIN] as $by) {
                $t->check("increment $key by $by", fn () => $c->increment($key, $by));
                $t->check("increment $key by $by, then", fn () => $c->get($key));
                $t->check("decrement $key by $by", fn () => $c->decrement($key, $by));
                $t->check("decrement $key by $by, then", fn () => $c->find($key));
            }
        }
        foreach ([0, 5, -5, PHP_INT_MAX, PHP_INT_MIN] as $initial) {
            foreach ([1, -1, PHP_INT_MIN] as $by) {
                $t->check("increment from $initial by $by", fn () => $c->increment("new.$initial.$by", $by, $initial));
                $t->check("decrement from $initial by $by", fn () => $c->decrement("down.$initial.$by", $by, $initial, 60));
            }
        }
        $t->check('what is there', fn () => $c->scan());
    },
    'conditions' => static function (Checks $t): void {
        $c = $t->open();
        $t->check('replace nothing', fn () => $c->replace('k', 1));
        $t->check('cas nothing', fn () => $c->cas('k', 2, 1));
        $t->check('add', fn () => $c->add('k', 1));
        $t->check('add again', fn () => $c->add('k', 2));
        $t->check('replace', fn () => $c->replace('k', null));
        $t->check('add over null', fn () => $c->add('k', 2));
        $version = $c->find('k')->version;
        $t->check('cas', fn () => $c->cas('k', $version, 3));
        $t->check('cas again', fn () => $c->cas('k', $version, 4));
        $t->check('cas with odd versions', fn () => [$c->cas('k', 0, 1), $c->cas('k', -1, 1), $c->cas('k', PHP_INT_MIN, 1), $c->cas('k', PHP_INT_MAX, 1)]);
        $version = $c->find('k')->version;
        $c->touch('k', 60);
        $t->check('cas after touch', fn () => $c->cas('k', $version, 5));
        $t->check('versions rise', fn () => $c->find('k')->version > $version);
        $version = $c->find('k')->version;
        $c->delete('k');
        $c->set('k', 1);
        $t->check('cas after delete and set', fn () => $c->cas('k', $version, 5));
        $t->check('get', fn () => $c->get('k'));
        $t->check('the default', fn () => $c->get('none', new Point(9)));
        $t->check('pull', fn () => [$c->pull('k'), $c->pull('k', 'gone')]);
        $t->check('delete', fn () => [$c->delete('k'), $c->delete('none')]);
        $t->check('touch', fn () => [$c->touch('none', 5), $c->touch('none', 0)]);
    },
    'ranges' => static function (Checks $t): void {
        $c = $t->open();
        $keys = ['a', 'a.', 'a.1', 'a.10', 'a.2', "a.\0", "a.\xff", "a.\xff\xff", 'ab.1', 'b', 'B', '5', '05', '-5', "\0", "\0a", "\xff", "\xff\xff", "\xffz", 'é', 'zz'];
        foreach ($keys as $i => $key) {
            $c->set($key, $i);
        }
        $bounds = ['', 'a', 'a.', 'a.1', "a.\xff", "\xff", "\xff\xff", 'none', '5', 'b', "\0"];
        foreach ($bounds as $prefix) {
            $t->check("count $prefix", fn () => $c->countPrefix($prefix));
            foreach ([null, ...$bounds] as $after) {
                foreach ([0, 1, 3] as $limit) {
                    $t->check("keys $prefix after " . var_export($after, true) . " limit $limit", fn () => $c->keys($prefix, $after, $limit));
                }
                $t->check("scan $prefix after " . var_export($after, true), fn () => $c->scan($prefix, $after, 4));
            }
        }
        foreach (['none', 'a.', "\xff", 'a', '5', ''] as $prefix) {
            $t->check("deletePrefix $prefix", fn () => $c->deletePrefix($prefix));
            $t->check("keys after deletePrefix $prefix", fn () => $c->keys());
        }
        $v = $c->prefix('v.');
        $t->check('a view', fn () => $v->setMultiple(['a' => 1, 'b' => 2, '7' => 3]));
        $t->check('its keys', fn () => [$v->keys(), $v->keys('a'), $v->keys('', 'a'), $v->countPrefix(), $v->countPrefix('a')]);
        $t->check('its scan', fn () => $v->scan());
        $t->check('its view', fn () => $v->prefix('a')->keys());
        $t->check('its deletePrefix', fn () => [$v->deletePrefix('a'), $v->keys(), $c->keys('v.')]);
        $t->check('its clear', fn () => [$v->clear(), $c->keys()]);
    },
    'walks' => static function (Checks $t): void {
        $c = $t->open();
        for ($i = 0; $i < 1000; $i += 100) {
            $c->setMultiple(array_combine(array_map(fn ($j) => sprintf('w.%04d', $j), range($i, $i + 99)), range($i, $i + 99)));
        }
        $t->check('all', fn () => $c->scan());
        $t->check('keys', fn () => $c->keys());
        foreach ([0, 1, 255, 256, 257, 999, 1000, 1001] as $limit) {
            $t->check("limit $limit", fn () => $c->scan('', null, $limit));
            $t->check("keys limit $limit", fn () => count($c->keys('w.', 'w.0001', $limit)));
        }
        $t->check('what is deleted meanwhile', function () use ($c) {
            $seen = [];
            foreach ($c->scan('w.') as $key => $value) {
                $seen[] = $key;
                $c->delete($key);
            }
            return $seen;
        });
        $t->check('nothing is left', fn () => $c->keys());
        $c->setMultiple(['a' => 1, 'b' => 2]);
        $scan = $c->scan();
        $t->check('twice', fn () => [iterator_to_array($scan), iterator_to_array($scan)]);
        $it = $scan->getIterator();
        $t->check('by hand', fn () => [$it->valid(), $it->key(), $it->current(), $it->next(), $it->key(), $it->next(), $it->valid(), $it->key(), $it->current(), $it->next(), $it->valid()]);
        $t->check('again', fn () => [$it->rewind(), $it->key()]);
        $t->check('by reference', function () use ($scan) { foreach ($scan as &$x) { $x = 1; } });
        $t->check('pairs', fn () => $c->getMultiple(['1', 'a', '1', 'b', 'b'], 'd'));
        $p = $c->getMultiple(['1', 'a'])->getIterator();
        $t->check('pairs by hand', fn () => [$p->key(), $p->current(), $p->next(), $p->key(), $p->current(), $p->next(), $p->valid(), $p->key(), $p->current()]);
        $t->check('a key twice', fn () => $c->getMultiple(['a', 'b', 'a'], 'd'));
        $t->check('no key', fn () => $c->getMultiple([]));
        $t->check('no pair', fn () => $c->setMultiple([]));
        $t->check('none to delete', fn () => $c->deleteMultiple([]));
        $t->check('generators', fn () => [$c->setMultiple((static fn () => yield from ['g.1' => 1, 'g.2' => 2])()), $c->getMultiple((static fn () => yield from ['g.1', 'g.2', 'g.3'])()), $c->deleteMultiple(new \ArrayIterator(['g.1', 'none']))]);
        $t->check('duplicate pairs', fn () => [$c->setMultiple((static function () { yield 'd' => 1; yield 'd' => 2; })()), $c->get('d')]);
        $t->check('keys that look like integers', fn () => [$c->setMultiple([0 => 'zero', '1' => 'one', '-3' => 'minus', '007' => 'seven']), $c->keys()]);
        $t->check('their values', fn () => $c->getMultiple([0, '1', -3, '007', '-0', '9223372036854775808']));
    },
    'options' => static function (Checks $t): void {
        foreach ([['prefix' => 'x.'], ['prefix' => str_repeat('p', 4096)], ['prefix' => []], ['on_error' => 'ignore'], ['on_error' => 'throw'], ['serializer' => 'json'], ['serializer' => 'php'], ['colour' => 'red'], ['x'],
            ['allowed_classes' => [1]], ['allowed_classes' => ','], ['allowed_classes' => new \stdClass()], ['allowed_classes' => 'a,,b'], ['allowed_classes' => 'a,'], ['prefix' => null], ['prefix' => 5], ['prefix' => 1.5], ['prefix' => true]] as $options) {
            $t->check('open with ' . substr(json_encode($options), 0, 60), fn () => $t->open($options)->keys() === []);
        }
        foreach (['', 'local', 'memcached://x', 'unix://', 'unix://host/run/x.sock', 'unix:///' . str_repeat('x', 120), 'unix:///run/%00x', 'unix:///run/%zz', 'local:?colour=red', 'local:%zz', 'local:?prefix', 'local:?%zz=1', 'local:?prefix=%z',
            'unix:///run/x.sock?max_memory=1M', 'local:?db=1', 'local:?max_memory=much', 'local:?max_memory=1K', 'local:?max_memory=99999999999999999999G', 'local:?max_value=512M', 'local:?max_value=0', 'local:?policy=lru', 'unix:///x?timeout=-1', 'unix:///x?timeout=0',
            'unix:///x?timeout=4000', 'unix:///x?timeout=abc', 'unix:///x?db=64', 'unix:///x?db=-1', 'unix:///x?owner_uid=me', 'unix:///x?prefault=maybe', 'unix://%zz@/x', 'auto:x', 'auto:?prefix=a', 'local:?&prefix=a&', 'local:?on_error=no'] as $dsn) {
            $t->check("open $dsn", fn () => \Coppice\Cache::open($dsn)->isShared());
        }
        foreach (['timeout' => 0.5, 'db' => 3, 'prefault' => true, 'user' => 'u', 'password' => '', 'owner_uid' => 0] as $name => $value) {
            $t->check("unix option $name", fn () => \Coppice\Cache::open('unix:///nonexistent/s', [$name => $value])->isShared());
        }
        $t->check('a view of a view', fn () => $t->open(['prefix' => 'a.'])->prefix('b.')->set('c', 1));
        $t->check('whole', fn () => $t->open()->keys());
        $t->check('isShared is the same for views', fn () => $t->open()->isShared() === $t->open()->prefix('x')->isShared());
        $t->check('stats', fn () => array_keys($t->open()->stats()));
        $t->check('stats count entries', function () use ($t) {
            for ($i = 0; $i < 200 && $t->open()->stats()['entries'] !== $t->open()->countPrefix(); ++$i) {
                usleep(5000);
            }
            return $t->open()->stats()['entries'];
        });
    },
    'an owner that is not there' => static function (Checks $t): void {
        $c = \Coppice\Cache::open('unix:///nonexistent/coppice.sock');
        $strict = \Coppice\Cache::open('unix:///nonexistent/coppice.sock', ['on_error' => 'throw']);
        foreach (['warn' => $c, 'throw' => $strict] as $how => $v) {
            $calls = [
                'get' => fn () => $v->get('k', 'd'), 'set' => fn () => $v->set('k', 1), 'add' => fn () => $v->add('k', 1), 'replace' => fn () => $v->replace('k', 1), 'cas' => fn () => $v->cas('k', 2, 1), 'delete' => fn () => $v->delete('k'),
                'has' => fn () => $v->has('k'), 'touch' => fn () => $v->touch('k', 1), 'getMultiple' => fn () => $v->getMultiple(['k'], 'd'), 'setMultiple' => fn () => $v->setMultiple(['k' => 1]), 'deleteMultiple' => fn () => $v->deleteMultiple(['k']),
                'deletePrefix' => fn () => $v->deletePrefix('k'), 'countPrefix' => fn () => $v->countPrefix(), 'keys' => fn () => $v->keys(), 'scan' => fn () => $v->scan(), 'pull' => fn () => $v->pull('k', 'd'), 'find' => fn () => $v->find('k'), 'clear' => fn () => $v->clear(),
                'prune' => fn () => $v->prune(), 'stats' => fn () => $v->stats()['entries'], 'increment' => fn () => $v->increment('n'), 'decrement' => fn () => $v->decrement('n'), 'isShared' => fn () => $v->isShared(), 'invalidateTags' => fn () => $v->invalidateTags('t'),
                'remember' => fn () => $v->remember('k', 1, fn () => 'computed'), 'throttle' => fn () => $v->throttle('k', 1, 1), 'acquire' => fn () => $v->lock('l')->acquire(), 'release' => fn () => $v->lock('l')->release(), 'isLocked' => fn () => $v->lock('l')->isLocked(), 'flushLocks' => fn () => $v->flushLocks(),
            ];
            foreach ($calls as $method => $call) {
                $t->check("$method, $how", $call);
            }
        }
    },
];
