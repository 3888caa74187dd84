--TEST--
Decoded values: stream wrappers, filters and contexts hold kept strings to the very end of their request
--SKIPIF--
<?php require __DIR__ . '/skip_cgi.inc'; ?>
--FILE--
<?php
require __DIR__ . '/decoded.inc';
cache()->clear();
echo in_requests('requests/streams.inc', 9), "\n";
?>
--EXPECT--
1 2 3 4 5 6 7 8 9
