--TEST--
Decoded values: the cache of regular expressions keeps no pattern that is freed
--SKIPIF--
<?php require __DIR__ . '/skip_cgi.inc'; ?>
--FILE--
<?php
require __DIR__ . '/decoded.inc';
cache()->clear();
echo in_requests('requests/patterns.inc', 40), "\n";
?>
--EXPECT--
last
