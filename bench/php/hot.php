<?php
// php hot.php <build> [option…]: see w7.
declare(strict_types=1);

namespace Bench;

define('Bench\BUILD', $argv[1]);
define('Bench\PEERS', BUILD . '/bench-peers');
require __DIR__ . '/driver.php';
require __DIR__ . '/hot_arms.php';
require __DIR__ . '/fastcgi.php';

$values = hot_values(PEERS);
$arms = hot_arms(BUILD);
$options = ['runs' => '5', 'seconds' => '0.2', 'values' => implode(',', array_keys($values)), 'arms' => implode(',', array_keys($arms)), 'ways' => 'worker,fpm', 'out' => BUILD . '/bench-results/w7.jsonl'];
$options = given_options($options, array_slice($argv, 2));
foreach (['values' => $values, 'arms' => $arms] as $what => $known) {
    if ($unknown = array_diff(explode(',', $options[$what]), array_keys($known))) {
        fwrite(STDERR, "unknown $what: " . implode(', ', $unknown) . "\n");
        exit(2);
    }
}
@mkdir(dirname($options['out']), 0777, true);
$out = fopen($options['out'], 'w') ?: exit(2);
$about = about();
$about['about'] += ['laravel' => is_dir(PEERS . '/laravel/framework/config'), 'immutable_cache' => isset($arms['immutable_cache'])];
fwrite($out, json_encode(['bench' => 'w7'] + $about) . "\n");
if (!isset($arms['immutable_cache'])) {
    fwrite(STDERR, "immutable_cache: no sources (COPPICE_IMMUTABLE_CACHE), skipped\n");
}

/** A PHP-FPM with one child. */
final class Fpm
{
    private string $directory;
    public string $socket;
    /** @var resource */
    private $process;

    public static function binary(): ?string
    {
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        foreach (["/usr/sbin/php-fpm$version", '/usr/local/sbin/php-fpm', '/usr/sbin/php-fpm'] as $binary) {
            if (is_executable($binary)) {
                return $binary;
            }
        }
        return null;
    }

    /** @param list<string> $settings */
    public function __construct(array $settings)
    {
        $this->directory = sys_get_temp_dir() . '/coppice-bench.' . bin2hex(random_bytes(6));
        mkdir($this->directory, 0700);
        $this->socket = "{$this->directory}/fpm";
        $root = function_exists('posix_geteuid') ? posix_geteuid() === 0 : getmyuid() === 0;
        file_put_contents("{$this->directory}/conf", "[global]\nerror_log = {$this->directory}/log\ndaemonize = no\n[www]\nlisten = {$this->socket}\npm = static\npm.max_children = 1\nsecurity.limit_extensions =\n"
            . ($root ? "user = root\ngroup = root\n" : ''));
        $command = [self::binary(), '-F', '-n', '-y', "{$this->directory}/conf", ...($root ? ['-R'] : []), ...settings_as_arguments($settings)];
        $this->process = proc_open($command, [1 => ['file', '/dev/null', 'w'], 2 => ['file', "{$this->directory}/output", 'w']], $pipes);
        for ($i = 0; $i < 500 && !@stream_socket_client("unix://{$this->socket}"); $i++) {
            usleep(10_000);
        }
    }

    public function stop(): void
    {
        proc_terminate($this->process, 15);
        proc_close($this->process);
        array_map(unlink(...), glob("{$this->directory}/*") ?: []);
        @rmdir($this->directory);
    }
}

/** @param list<string> $settings @return list<string> */
function settings_as_arguments(array $settings): array
{
    $arguments = [];
    foreach (['memory_limit=512M', 'html_errors=0', ...$settings] as $setting) {
        array_push($arguments, '-d', $setting);
    }
    return $arguments;
}

function parse(string $output): array
{
    $lines = explode("\n", trim($output));
    $report = json_decode((string) end($lines), true);
    return is_array($report) ? $report : ['error' => substr($output, -300)];
}

/** @param array<string,mixed> $order @return array<string,mixed> */
function in_worker(HotArm $arm, array $order): array
{
    $process = proc_open([PHP_BINARY, '-n', ...settings_as_arguments($arm->settings), __DIR__ . '/hot_arm.php', json_encode($order)], [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
    $output = (string) stream_get_contents($pipes[1]);
    proc_close($process);
    return parse($output);
}

/** Many short requests; the median of their least times. @param array<string,mixed> $order @return array<string,mixed> */
function in_fpm(HotArm $arm, array $order): array
{
    $fpm = new Fpm($arm->settings);
    try {
        $requests = 20;
        $order['seconds'] /= $requests;
        $reports = [];
        for ($i = 0; $i <= $requests; $i++) {
            $report = parse(fastcgi_get($fpm->socket, __DIR__ . '/hot_arm.php', rawurlencode(json_encode(['fill' => $i === 0] + $order))));
            if (isset($report['error'])) {
                return $report;
            }
            if ($i > 0) {
                $reports[] = $report;
            }
        }
        $median = function (string $of) use ($reports) {
            $all = array_column($reports, $of);
            sort($all);
            return $all[intdiv(count($all), 2)];
        };
        return ['ns' => $median('ns'), 'empty_ns' => $median('empty_ns'), 'first_ns' => $median('first_ns'), 'own' => end($reports)['own'], 'shared' => end($reports)['shared'], 'requests' => count(array_unique(array_column($reports, 'pid'))) === 1 ? $requests : 0];
    } finally {
        $fpm->stop();
    }
}

$directory = sys_get_temp_dir() . '/coppice-bench.' . bin2hex(random_bytes(6));
mkdir($directory, 0700);
$server = Server::start('coppiced', new Load(1000, 'arr', null));
try {
    foreach ($values as $name => $value) {
        file_put_contents("$directory/$name.serialized", serialize($value));
        file_put_contents("$directory/$name.php", '<?php return ' . var_export($value, true) . ";\n");
    }
    for ($run = 1; $run <= (int) $options['runs']; $run++) {
        foreach (explode(',', $options['ways']) as $way) {
            if ($way === 'fpm' && Fpm::binary() === null) {
                fwrite(STDERR, "no php-fpm: skipped\n");
                continue;
            }
            foreach (explode(',', $options['values']) as $name) {
                foreach (explode(',', $options['arms']) as $arm) {
                    if ($way === 'fpm' && !$arms[$arm]->fpm) {
                        continue;
                    }
                    $order = ['build' => BUILD, 'arm' => $arm, 'data' => "$directory/$name.serialized", 'file' => "$directory/$name.php", 'dsn' => "unix://{$server->socket}", 'seconds' => (float) $options['seconds'], 'hash' => md5(serialize($values[$name]))];
                    $report = $way === 'fpm' ? in_fpm($arms[$arm], $order) : in_worker($arms[$arm], $order + ['fill' => true]);
                    fwrite(STDERR, sprintf("%-6s %-13s %-16s run %d  %s\n", $way, $name, $arm, $run, isset($report['error']) ? "ERROR: {$report['error']}" : number_format($report['ns'], 1) . ' ns'));
                    fwrite($out, json_encode(['bench' => 'w7', 'way' => $way, 'value' => $name, 'arm' => $arm, 'run' => $run] + $report) . "\n");
                }
            }
        }
    }
} finally {
    $server->stop();
    array_map(unlink(...), glob("$directory/*") ?: []);
    rmdir($directory);
}
fwrite(STDERR, "results in {$options['out']}\n");
