--TEST--
Decoded values: what a script does to a value that outlives requests changes nothing that later reads and requests get
--SKIPIF--
<?php require __DIR__ . '/skip_cgi.inc'; ?>
--FILE--
<?php
require __DIR__ . '/decoded.inc';
echo in_requests('requests/mutations.inc', 5), "\n";
if (is_shared_run()) {
    // Another process, with the same owner.
    echo in_requests('requests/mutations.inc', 2), "\n";
}
echo 'done';
?>
--EXPECTREGEX--
^1 2 3 4 5\n(6 7\n)?done$
