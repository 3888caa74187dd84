--TEST--
Decoded values: those that outlive requests are held within coppice.decoded_memory, what waits to be freed included
--SKIPIF--
<?php require __DIR__ . '/skip_cgi.inc'; ?>
--FILE--
<?php
require __DIR__ . '/decoded.inc';
cache()->clear();
echo in_requests('requests/memory.inc', 30, ['coppice.decoded_memory' => '120000']), "\n";
?>
--EXPECT--
last
