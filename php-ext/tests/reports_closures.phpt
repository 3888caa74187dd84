--TEST--
Reported faults: a loop of writes does not grow the process
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->set('k', ['a' => [1, 2, 3], 'b' => 'text']);
$round = function () use ($c) {
    for ($i = 0; $i < 20_000; ++$i) {
        $c->set('k', ['a' => [$i, 2, 3], 'b' => "text$i", 'c' => ['d' => $i]]);
        $c->get('k');
    }
    gc_collect_cycles();
    return memory_get_usage();
};
$round();
$before = $round();
same(true, $round() <= $before, 'memory_get_usage is flat');
echo 'done';
?>
--EXPECT--
done
