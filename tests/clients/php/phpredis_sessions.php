<?php
// PHP's sessions kept by phpredis, with locking: requests of one session one after the other, each in a process of its own.
declare(strict_types=1);
require __DIR__ . '/check.php';

$settings = [
    'session.save_handler' => 'redis',
    'session.save_path' => 'unix://' . Check::socket() . '?database=2&prefix=SESS:',
    'redis.session.locking_enabled' => '1',
    'redis.session.lock_expire' => '60',
    'redis.session.lock_wait_time' => '2000',
    'redis.session.lock_retries' => '-1',
    'session.use_cookies' => '0',
    'session.cache_limiter' => '',
    'session.gc_maxlifetime' => '1440',
];

/** Starts a request: its code, between session_start() and its end. */
function request(string $code, array $settings): array
{
    $options = [];
    foreach ($settings as $name => $value) {
        array_push($options, '-d', "$name=\"$value\"");
    }
    $process = proc_open([PHP_BINARY, ...$options, '-r', "session_id('visitor1'); session_start(); $code"],
        [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    return [$process, $pipes[1]];
}

function answer(array $request): string
{
    $text = (string) stream_get_contents($request[1]);
    proc_close($request[0]);
    return $text;
}

$r = new Redis();
$r->connect(Check::socket());
$r->flushAll();
$r->select(2);
const COUNT = '$_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; usleep(%d); echo $_SESSION["n"];';

Check::test('a session lasts over requests', function () use ($settings, $r): void {
    for ($n = 1; $n <= 3; ++$n) {
        Check::same((string) $n, answer(request(sprintf(COUNT, 0), $settings)));
    }
    Check::true($r->ttl('SESS:visitor1') > 1400, 'its time to live is the setting\'s');
    Check::same([], $r->keys('*LOCK*'), 'no lock is left');
});
Check::test('requests at the same time follow one another', function () use ($settings): void {
    $requests = [];
    for ($n = 0; $n < 6; ++$n) {
        $requests[] = request(sprintf(COUNT, 20000), $settings);
    }
    $answers = array_map('answer', $requests);
    sort($answers);
    Check::same(['4', '5', '6', '7', '8', '9'], $answers);
});
Check::test('while a request runs, its lock is held', function () use ($settings, $r): void {
    $request = request('echo "in\n"; ob_flush(); flush(); sleep(1000);', ['output_buffering' => '1'] + $settings);
    Check::same("in\n", fgets($request[1]));
    $lock = $r->keys('*LOCK*');
    Check::same(1, count($lock));
    Check::true($r->ttl($lock[0]) > 50, 'the lock has a time to live');
    proc_terminate($request[0], SIGKILL);
    proc_close($request[0]);
    Check::same(1, count($r->keys('*LOCK*')), 'a killed request leaves it to its time to live');
    $r->del($lock);
    Check::same('10', answer(request(sprintf(COUNT, 0), $settings)));
});
Check::test('a lock that another took meanwhile is not released', function () use ($settings, $r): void {
    $go = sys_get_temp_dir() . '/go';
    putenv("COPPICE_GO=$go");
    $request = request('echo "in\n"; ob_flush(); flush(); while (!file_exists(getenv("COPPICE_GO"))) usleep(1000);', ['output_buffering' => '1'] + $settings);
    fgets($request[1]);
    $lock = $r->keys('*LOCK*')[0];
    $r->set($lock, 'another', ['ex' => 60]);
    touch($go);
    answer($request);
    Check::same('another', $r->get($lock));
    $r->del($lock);
});
Check::test('destroying', function () use ($settings, $r): void {
    answer(request('session_destroy();', $settings));
    Check::same([], $r->keys('*'));
});
Check::test('a new id keeps the data', function () use ($settings, $r): void {
    $code = '$_SESSION["user"] = 7; session_regenerate_id(true); echo session_id(), " ", $_SESSION["user"];';
    [$id, $user] = explode(' ', answer(request($code, $settings)));
    Check::same('7', $user);
    Check::same(1, $r->exists("SESS:$id"));
    Check::same(0, $r->exists('SESS:visitor1'));
});
Check::end();
