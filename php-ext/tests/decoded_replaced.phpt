--TEST--
Decoded values: what is replaced or evicted in the middle of a request lives on while anybody may hold it
--SKIPIF--
<?php require __DIR__ . '/skip_cgi.inc'; ?>
--FILE--
<?php
require __DIR__ . '/decoded.inc';
foreach (['32M', '700K', '100K'] as $size) {
    cache()->clear();
    echo in_requests('requests/replaced.inc', 6, ['coppice.decoded_memory' => $size]), "\n";
}
cache()->clear();
echo in_requests('requests/replaced.inc', 3, ['coppice.decoded_scope' => 'request']), "\n";
?>
--EXPECT--
1 2 3 4 5 6
1 2 3 4 5 6
1 2 3 4 5 6
1 2 3
