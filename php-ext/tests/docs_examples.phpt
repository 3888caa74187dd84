--TEST--
The examples of docs/coordination.md, with what they say comes out
--SKIPIF--
<?php
if (!is_file(dirname(__DIR__, 2) . '/docs/coordination.md')) {
    die('skip a source archive has no documents');
}
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$cache = cache();
$text = file_get_contents(dirname(__DIR__, 2) . '/docs/coordination.md');
preg_match_all('/^```php\n(.*?)^```$/ms', $text, $found);
same(true, count($found[1]) >= 7, 'there are examples');
$said = 0;
foreach ($found[1] as $example) {
    // `expression;   // value` where the value is one that PHP can read.
    $code = preg_replace_callback('~^(\$.*);\s*// (true|false|\[.*\]|[\d.]+)(?=[:;]|$).*$~m', function (array $m) use (&$said) {
        $said++;
        return 'same(' . $m[2] . ', ' . $m[1] . ', ' . var_export($m[0], true) . ');';
    }, $example);
    eval($code);
}
same(true, $said >= 7, 'what they say was compared');
same(['EUR' => 1.08], $cache->get('rates'), 'and they did what they show');
echo 'done';
?>
--EXPECT--
done
