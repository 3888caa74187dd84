<?php
// One request of fpm_test.py. Reads keys and looks whether each value is whole, and not older than what had been
// acknowledged when the request was sent; keeps them in statics, constants, the session and global variables, to the end
// of the request; writes one key where it is told to. Answers JSON.
final class Kept
{
    public static array $values = [];
    public static array $rows = [];

    public function __destruct()
    {
        foreach (self::$values as $key => $value) {
            check($key, $value, 0);
        }
    }
}

$errors = [];

function make(string $key, int $n): array
{
    $rows = [];
    for ($i = 0; $i < 60; $i++) {
        $rows[] = ['id' => $i, 'key' => $key, 'n' => $n, 'name' => "row $i of $n", 'tags' => ["tag $n", 'common']];
    }
    return ['n' => $n, 'key' => $key, 'rows' => $rows, 'pattern' => "/^row (\\d+) of $n\$/", 'empty' => [], 'text' => str_repeat("$n.", 200)];
}

function check(string $key, mixed $value, int $least): void
{
    global $errors;
    if (!is_array($value) || $value['key'] !== $key || $value !== make($key, $value['n'])) {
        $errors[] = "$key: broken: " . substr(json_encode($value) ?: json_last_error_msg(), 0, 200);
    } elseif ($value['n'] < $least) {
        $errors[] = "$key: {$value['n']} is older than $least, which was acknowledged";
    }
}

function counter(array $value): array
{
    static $first, $all = [];
    $first ??= $value;
    $all[] = $value;
    $all[0]['rows'][0]['name'] = 'changed';
    $first['rows'][] = 'more';
    return $all;
}

session_id('s' . ($_GET['session'] ?? '0'));
session_start();
$cache = Coppice\Cache::open();
$least = json_decode($_GET['least'], true);
if (isset($_GET['write'])) {
    $n = (int) $_GET['n'];
    if (!$cache->set($_GET['write'], make($_GET['write'], $n)) || !$cache->set("text.{$_GET['write']}", str_repeat("$n ", 20000))) {
        $errors[] = 'a write failed';
    }
    $least[$_GET['write']] = $n;
}
$kept = new Kept();
// What the session brought from the request before is whole as well.
foreach ($_SESSION['values'] ?? [] as $key => $value) {
    check($key, $value, 0);
}
foreach ($least as $key => $n) {
    $value = $cache->get($key);
    check($key, $value, $n);
    Kept::$values[$key] = $value;
    Kept::$rows[] = $value['rows'][7];
    define("KEPT_$key", $value);
    $_SESSION['values'][$key] = constant("KEPT_$key");
    $GLOBALS["global_$key"] = $value;
    counter($value);
    if (preg_match($value['pattern'], $value['rows'][9]['name'], $match) !== 1 || $match[1] !== '9') {
        $errors[] = "$key: the pattern {$value['pattern']}";
    }
    $text = $cache->get("text.$key");
    if ($text !== null && (strlen($text) < 40000 || (int) $text !== (int) substr($text, -strlen((int) $text . ' ')))) {
        $errors[] = "$key: the text";
    }
    $value['rows'][3]['name'] = 'changed';
    foreach ($value['rows'] as &$row) {
        $row['n'] = -1;
    }
    unset($row);
    eval("class C_$key { const ALL = KEPT_$key; public static \$s = KEPT_$key; public array \$p = KEPT_$key; }");
    $class = "C_$key";
    $class::$s['rows'] = [];
    $object = new $class();
    $object->p['n'] = -1;
}
foreach ($cache->getMultiple(array_keys($least)) as $key => $value) {
    check($key, $value, $least[$key]);
    check($key, constant("KEPT_$key"), $least[$key]);
    check($key, constant("C_$key::ALL"), $least[$key]);
    check($key, $GLOBALS["global_$key"], $least[$key]);
}
session_write_close();
register_shutdown_function(function () use (&$errors, $cache) {
    $status = file_get_contents('/proc/self/status');
    preg_match('/^VmRSS:\s+(\d+)/m', $status, $rss);
    preg_match('/^RssShmem:\s+(\d+)/m', $status, $shared);
    echo json_encode(['pid' => getmypid(), 'errors' => $errors, 'rss' => ($rss[1] - $shared[1]) * 1024] + $cache->stats());
});
