--TEST--
Decoded values: a fatal error in the middle of a walk leaves no mark on them
--FILE--
<?php
require __DIR__ . '/decoded.inc';
$file = tempnam(sys_get_temp_dir(), 'coppice-test');
putenv("FATAL_OUTPUT=$file");
$expect = function (int $requests, string $where) use ($file) {
    same(implode('', array_map(fn ($i) => "ended $i\n", range(1, $requests))), file_get_contents($file), $where);
    file_put_contents($file, '');
    cache()->clear();
};
cache()->clear();
if (php_cgi() !== null) {
    in_requests('requests/fatal.inc', 8, status: 255);
    $expect(8, 'over requests');
}
// Within one long request: what runs behind the error finds values without the marks that it left.
for ($i = 1; $i <= 4; $i++) {
    $command = [PHP_BINARY, '-n', ...inherited_settings(), '-d', 'coppice.dsn=' . dsn(), __DIR__ . '/requests/fatal.inc'];
    $process = proc_open($command, [1 => ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes, null, ['FATAL' => (string) $i] + getenv());
    proc_close($process);
    $expect(1, "in one request, case $i");
}
unlink($file);
echo 'done';
?>
--EXPECT--
done
