--TEST--
phpinfo: no password shown
--INI--
coppice.dsn=unix://user:secret@/run/x.sock
--FILE--
<?php
require __DIR__ . '/setup.inc';
ob_start();
phpinfo(INFO_MODULES);
$info = ob_get_clean();
preg_match('/^coppice$(.*?)^\S+$\n\n/ms', $info, $m);
same(false, str_contains($info, 'secret'), 'no password');
same(true, str_contains($info, 'coppice.dsn => unix://...@/run/x.sock'), 'the rest of the DSN');
foreach (['Coppice => enabled', 'Version => ', 'Local stores open in this process => 0', 'coppice.max_memory => 256M', 'coppice.on_error => warn',
    'coppice.allowed_classes => 1', 'coppice.serializer => php', 'Decoded values are kept for => request', 'coppice.decoded_memory => 32M', 'coppice.decoded_scope => process', 'coppice.owner_uid', 'coppice.prefix'] as $line) {
    same(true, str_contains($info, $line), $line);
}
echo 'done';
?>
--EXPECT--
done
