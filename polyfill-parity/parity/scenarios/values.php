<?php

declare(strict_types=1);

namespace Coppice\Parity;

require_once __DIR__ . '/../values.php';

return [
    'values by set and get' => static function (Checks $t): void {
        $c = $t->open();
        foreach (values() as $name => $value) {
            $t->check("set $name", fn () => $c->set('k', $value));
            $t->check("get $name", fn () => $c->get('k', 'missing'));
            $t->check("get $name again", fn () => $c->get('k', 'missing'));
            $t->check("has $name", fn () => $c->has('k'));
            $t->check("find $name", fn () => $c->find('k'));
        }
    },
    'values by other ways' => static function (Checks $t): void {
        $c = $t->open();
        $all = values();
        $t->check('setMultiple', fn () => $c->setMultiple($all));
        foreach (array_keys($all) as $name) {
            $t->check("getMultiple $name", fn () => $c->getMultiple([$name, 'none'], 'default'));
        }
        $t->check('scan', fn () => $c->scan());
        foreach (array_keys($all) as $name) {
            $t->check("pull $name", fn () => $c->pull($name));
            $t->check("pull $name again", fn () => $c->pull($name, 'none'));
        }
        foreach ($all as $name => $value) {
            $t->check("add $name", fn () => $c->add($name, $value));
            $t->check("add $name again", fn () => $c->add($name, 1));
            $t->check("replace $name", fn () => $c->replace($name, $value));
            $t->check("remember $name", fn () => $c->remember($name, 60, fn () => 'computed'));
            $t->check("cas $name", fn () => $c->cas($name, $c->find($name)->version, $value));
        }
        $t->check('scan', fn () => $c->scan());
        $t->check('remember new', function () use ($c, $all) {
            $got = [];
            foreach ($all as $name => $value) {
                $got[] = $c->remember("r.$name", null, fn () => $value);
                $got[] = $c->get("r.$name");
            }
            return count($got);
        });
        $t->check('scan what was remembered', fn () => $c->scan('r.'));
    },
    'values are snapshots' => static function (Checks $t): void {
        $c = $t->open();
        $object = new Point();
        $c->set('o', $object);
        $object->x = 99;
        $t->check('the object changed after set', fn () => $c->get('o')->x);
        $c->get('o')->x = 5;
        $t->check('the object changed after get', fn () => $c->get('o')->x);
        $one = 1;
        $array = ['a' => &$one, 'b' => [&$one]];
        $c->set('r', $array);
        $one = 2;
        $t->check('a reference changed after set', fn () => $c->get('r'));
        $got = $c->get('r');
        $got['a'] = 3;
        $t->check('within what was got, the reference holds', fn () => $got);
        $t->check('a reference changed after get', fn () => $c->get('r'));
        $list = [1, 2, 3];
        unset($list[2]);
        $c->set('l', $list);
        $got = $c->get('l');
        $got[] = 'next';
        $t->check('the next key follows from the keys', fn () => $got);
        $t->check('an array changed after get', fn () => $c->get('l'));
    },
    'values that cannot be stored' => static function (Checks $t): void {
        $c = $t->open();
        $c->set('k', 'old');
        $recursive = [1];
        $recursive['self'] = &$recursive;
        $deepRecursive = ['a' => ['b' => []]];
        $deepRecursive['a']['b']['up'] = &$deepRecursive['a'];
        $bad = [
            'closure' => fn () => 1, 'resource' => fopen('php://memory', 'r'), 'resource inside' => [[fopen('php://memory', 'r')]],
            'object and resource' => [new \ArrayObject(), fopen('php://memory', 'r')], 'closure inside' => ['x' => fn () => 1], 'recursive' => $recursive,
            'recursive below' => $deepRecursive, 'too deep' => nested(1025), 'throws' => new ThrowsAsleep(), 'throws inside' => [1, new ThrowsAsleep()], 'generator' => (fn () => yield 1)(),
            'anonymous class' => new class () { public int $x = 1; }, 'object and recursion' => [new Point(), &$recursive],
        ];
        foreach ($bad as $name => $value) {
            foreach (['k', 'new', "\0\xff\"\\", str_repeat('long', 60)] as $key) {
                $t->check("set $name", fn () => $c->set($key, $value));
            }
            $t->check("add $name", fn () => $c->add('other', $value));
            $t->check("replace $name", fn () => $c->replace('k', $value));
            $t->check("cas $name", fn () => $c->cas('k', 2, $value));
            $t->check("setMultiple $name", fn () => $c->setMultiple(['a' => 1, 'b' => $value]));
            $t->check("prefix $name", fn () => $c->prefix('p.')->set('k', $value));
            $t->check("prefix setMultiple $name", fn () => $c->prefix('p.')->setMultiple(['k' => $value]));
            $t->check('nothing changed', fn () => $c->scan());
        }
    },
    'values that cannot be decoded' => static function (Checks $t): void {
        $c = $t->open();
        $strict = $t->open(['on_error' => 'throw']);
        $c->setMultiple(['awake' => new ThrowsAwake(), 'inside' => [1, new ThrowsAwake()], 'a' => 1]);
        foreach (['warn' => $c, 'throw' => $strict] as $how => $cache) {
            $t->check("get, $how", fn () => $cache->get('awake', 'default'));
            $t->check("get, $how", fn () => $cache->get('inside', 'default'));
            $t->check("pull without, $how", fn () => $cache->pull('none', 'default'));
            $t->check("getMultiple, $how", fn () => $cache->getMultiple(['a', 'awake', 'inside'], 'default'));
            $t->check("find, $how", fn () => $cache->find('awake'));
            $t->check("has, $how", fn () => $cache->has('awake'));
            $t->check("scan, $how", fn () => $cache->scan());
            $t->check("prefix get, $how", fn () => $cache->prefix('aw')->get('ake'));
            $t->check("remember, $how", fn () => $cache->remember('awake', 60, fn () => 'computed'));
            $cache->set('awake', new ThrowsAwake());
        }
        $t->check('pull', fn () => $c->pull('awake', 'default'));
        $t->check('pull again', fn () => $c->pull('awake', 'default'));
    },
    'classes that are allowed' => static function (Checks $t): void {
        $t->open()->setMultiple(['point' => new Point(), 'std' => new \stdClass(), 'list' => [new Point(), new \stdClass()], 'enum' => Suit::Hearts, 'plain' => [1], 'custom' => new Custom()]);
        foreach ([true, false, [], ['stdClass'], ['\\coppice\\PARITY\\point', 'Other'], [Point::class, \stdClass::class], '1', '0', 'stdClass', 'stdClass,Coppice\Parity\Custom', [Suit::class]] as $classes) {
            $c = $t->open(['allowed_classes' => $classes]);
            foreach (['point', 'std', 'list', 'plain', 'custom'] as $key) {
                $t->check('get with ' . json_encode($classes), fn () => serialize($c->get($key)) . get_debug_type($c->get($key)));
            }
            $t->check('enum with ' . json_encode($classes), fn () => $c->get('enum', 'default'));
            $t->check('set with ' . json_encode($classes), fn () => $c->set('set', new Point()) && is_object($c->get('set')));
        }
    },
];
