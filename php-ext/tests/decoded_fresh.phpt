--TEST--
Decoded values: every change, by whomever, shows at the next read
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$cache = cache();
$hot = function (array $expected, string $what) use ($cache) {
    for ($i = 0; $i < 3; $i++) {
        same($expected, $cache->get('group.rows'), $what);
        same(['group.rows' => $expected], $cache->getMultiple(['group.rows']), "$what, getMultiple");
    }
};
$gone = function (string $what) use ($cache) {
    same(['none', null, null], [$cache->get('group.rows', 'none'), $cache->find('group.rows'), $cache->getMultiple(['group.rows'])['group.rows']], $what);
    same([], iterator_to_array($cache->scan('group.')), "$what, scan");
};
/** Another handle of this process, and for a shared store another process. */
$others = ['another handle' => fn (string $code) => eval("\$cache = cache('prefix=group.'); $code")];
if (is_shared_run()) {
    $others['another process'] = function (string $code) {
        $command = [PHP_BINARY, '-n', ...inherited_settings(), '-r', "require '" . __DIR__ . "/decoded.inc'; \$cache = Coppice\\Cache::open('" . dsn() . "', ['prefix' => 'group.']); $code"];
        proc_close(proc_open($command, [], $pipes));
    };
}
foreach ($others as $who => $do) {
    $cache->set('group.rows', rows(20));
    $hot(rows(20), 'stored');
    $do('$cache->set("rows", rows(20, "!"));');
    $hot(rows(20, '!'), "overwritten by $who");
    $do('$cache->set("rows", ["small"]);');
    $hot(['small'], "overwritten by something small by $who");
    $do('$cache->set("rows", rows(21));');
    $hot(rows(21), "overwritten again by $who");
    $do('$cache->delete("rows");');
    $gone("deleted by $who");
    $do('$cache->set("rows", rows(21));');
    $hot(rows(21), "back with the same value by $who");
    $do('$cache->deletePrefix("r");');
    $gone("deleted by prefix by $who");
    $do('$cache->setMultiple(["rows" => rows(22)]);');
    $hot(rows(22), "stored with others by $who");
    $do('$cache->touch("rows", 60);');
    $hot(rows(22), "touched by $who");
    same(true, $cache->find('group.rows')->ttl > 50, 'the new deadline');
    $do('$cache->touch("rows", 0);');
    $gone("touched to death by $who");
    $do('$cache->set("rows", rows(23));');
    $hot(rows(23), 'again');
    $do('$cache->clear();');
    $gone("cleared by $who");
    $do('$cache->set("rows", rows(24)); $cache->set("other", rows(25));');
    $hot(rows(24), "before a pull by $who");
    $do('$cache->pull("rows"); $cache->pull("other");');
    $gone("pulled by $who");
    $do('$cache->set("rows", rows(24), 0.05);');
    for ($i = 0; $i < 500 && $cache->get('group.rows') !== null; $i++) {
        usleep(1000);
    }
    $gone("expired, set by $who");
}
// Stored anew after it was kept, the same key in another store of this process.
$other = is_shared_run() ? Coppice\Cache::open('local:') : Coppice\Cache::open('local:other');
$cache->set('group.rows', rows(30));
$other->set('group.rows', rows(31));
for ($i = 0; $i < 3; $i++) {
    same([rows(30), rows(31)], [$cache->get('group.rows'), $other->get('group.rows')], 'two stores');
}
if (is_shared_run()) {
    // Another owner, another generation.
    $owner = new Owner();
    $c = Coppice\Cache::open($owner->dsn());
    $c->set('k', rows(40));
    same([rows(40), rows(40)], [$c->get('k'), $c->get('k')], 'before the restart');
    $owner->stop(9);
    $owner->start();
    for ($i = 0; $i < 500 && !@$c->set('k', rows(41)); $i++) {
        usleep(10_000);
    }
    same([rows(41), rows(41)], [$c->get('k'), $c->get('k')], 'after the restart');
    // Two databases of one owner.
    $zero = Coppice\Cache::open($owner->dsn());
    $one = Coppice\Cache::open($owner->dsn('db=1'));
    $zero->set('k', rows(50));
    $one->set('k', rows(51));
    same([rows(50), rows(51), rows(50), rows(51)], [$zero->get('k'), $one->get('k'), $zero->get('k'), $one->get('k')], 'two databases');
    same("+OK\r\n", $owner->command('FLUSHALL'), 'FLUSHALL');
    same([null, null], [$zero->get('k'), $one->get('k')], 'flushed');
}
echo 'done';
?>
--EXPECT--
done
