--TEST--
Pending::ttl()
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$c->remember('a', 60, function ($p) { $p->ttl(1000); return 1; });
$c->remember('b', 60, function ($p) { $p->ttl(null); return 1; });
$c->remember('c', 60, function ($p) { $p->ttl(new DateInterval('PT1H')); return 1; });
$c->remember('d', 60, function ($p) { $p->ttl(0); return 1; });
$c->remember('e', 60, function ($p) { $p->ttl(5); $p->ttl(0.5); return 1; });
same([true, null, true, false, true], [$c->find('a')->ttl > 900, $c->find('b')->ttl, $c->find('c')->ttl > 3500, $c->has('d'), $c->find('e')->ttl <= 0.5], 'TTLs');
$c->remember('f', 60, function ($p) use (&$kept) { $kept = $p; return 1; });
$kept->ttl(1);
$kept->tags('t');
$kept->skip();
same([true, []], [$c->find('f')->ttl > 50, $c->find('f')->tags], 'afterwards it says nothing any more');
echo 'done';
?>
--EXPECT--
done
