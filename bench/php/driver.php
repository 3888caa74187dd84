<?php
// Runs the arms of a benchmark, each in a fresh process, interleaved: run 1 of every arm, then run 2 …
declare(strict_types=1);

namespace Bench;

require __DIR__ . '/backends.php';

/** A server of the arm's own on a private socket. */
final class Server
{
    /** @param resource $process */
    private function __construct(private $process, public string $socket, private string $directory, public int $pid)
    {
    }

    public static function start(string $which, Load $load): self
    {
        $directory = sys_get_temp_dir() . '/coppice-bench.' . bin2hex(random_bytes(6));
        mkdir($directory, 0700);
        $socket = "$directory/socket";
        $command = match ($which) {
            'coppiced' => [BUILD . '/owner-daemon/coppiced', '--socket', $socket, '--max-memory', intdiv($load->bytes(), 1 << 20) . 'M', '--log-level', 'warning'],
            'redis' => ['redis-server', '--save', '', '--appendonly', 'no', '--port', '0', '--unixsocket', $socket, '--logfile', '/dev/null', '--dir', $directory],
        };
        $process = proc_open($command, [1 => STDERR, 2 => STDERR], $pipes);
        for ($i = 0; $i < 500; $i++) {
            usleep(10_000);
            if (@stream_socket_client("unix://$socket")) {
                return new self($process, $socket, $directory, proc_get_status($process)['pid']);
            }
        }
        proc_terminate($process, 9);
        throw new \RuntimeException("$which did not start");
    }

    /** @return array<string,int> */
    public function memory(): array
    {
        $status = (string) @file_get_contents("/proc/{$this->pid}/status");
        $memory = [];
        foreach (['VmHWM', 'RssAnon', 'RssShmem'] as $name) {
            $memory[$name] = preg_match("/^$name:\s+(\d+) kB/m", $status, $found) ? 1024 * (int) $found[1] : 0;
        }
        return $memory;
    }

    public function stop(): void
    {
        proc_terminate($this->process, 15);
        for ($i = 0; $i < 500 && proc_get_status($this->process)['running']; $i++) {
            usleep(10_000);
        }
        proc_terminate($this->process, 9);
        proc_close($this->process);
        array_map(unlink(...), glob("{$this->directory}/*") ?: []);
        @rmdir($this->directory);
    }
}

/** @return array<string,mixed> the arm's report */
function run_arm(string $workload, string $backend, int $n, string $kind, float $seconds): array
{
    $class = backends()[$backend];
    $load = new Load($n, $kind, null);
    $server = null;
    if ($class::server() !== null) {
        $server = Server::start($class::server(), $load);
        $load->socket = $server->socket;
    }
    try {
        $command = [PHP_BINARY, '-d', 'memory_limit=-1', ...$class::settings($load), __DIR__ . '/arm.php',
            $workload, $backend, BUILD, (string) $n, $kind, $load->socket ?? '-', (string) $seconds];
        $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
        $output = (string) stream_get_contents($pipes[1]);
        $status = proc_close($process);
        $lines = explode("\n", trim($output));
        $report = json_decode((string) end($lines), true);
        if (!is_array($report)) {
            $report = ['error' => "exit $status: " . substr($output, -300)];
        }
        if ($server !== null) {
            $report['server_memory'] = $server->memory();
        }
        return $report;
    } finally {
        $server?->stop();
    }
}

/** @param array<string,string> $options defaults @param list<string> $arguments --name value … @return array<string,string> */
function given_options(array $options, array $arguments): array
{
    foreach (array_chunk($arguments, 2) as $pair) {
        $name = substr($pair[0], 2);
        if (!str_starts_with($pair[0], '--') || !isset($options[$name], $pair[1])) {
            fwrite(STDERR, "unknown option or no value: {$pair[0]}\noptions: --" . implode(', --', array_keys($options)) . "\n");
            exit(2);
        }
        $options[$name] = $pair[1];
    }
    return $options;
}

/** The machine and the versions, for the report. @return array<string,mixed> */
function about(): array
{
    preg_match('/^model name\s*:\s*(.+)$/m', (string) file_get_contents('/proc/cpuinfo'), $cpu);
    preg_match('/^MemTotal:\s*(\d+)/m', (string) file_get_contents('/proc/meminfo'), $memory);
    preg_match('/^PRETTY_NAME="(.+)"$/m', (string) file_get_contents('/etc/os-release'), $system);
    return ['about' => [
        'date' => gmdate('Y-m-d'), 'cpu' => $cpu[1] ?? php_uname('m'), 'cores' => (int) shell_exec('nproc'),
        'memory_gib' => round($memory[1] / 1048576), 'system' => $system[1] ?? PHP_OS, 'kernel' => php_uname('r'), 'php' => PHP_VERSION,
        'apcu' => phpversion('apcu') ?: null, 'yac' => phpversion('yac') ?: null, 'phpredis' => phpversion('redis') ?: null,
        'redis' => preg_match('/v=(\S+)/', (string) shell_exec('redis-server --version'), $v) ? $v[1] : null,
        'revision' => trim((string) shell_exec('git -C ' . escapeshellarg(__DIR__) . ' rev-parse --short HEAD 2>/dev/null')) ?: null,
    ]];
}

/**
 * @param list<array{string,int,string}> $arms backend, n, kind
 * @param resource $out gets one line of JSON for each arm and run
 */
function run_all(string $bench, string $workload, array $arms, int $runs, float $seconds, $out): void
{
    fwrite($out, json_encode(['bench' => $bench] + about()) . "\n");
    $skipped = [];
    for ($run = 1; $run <= $runs; $run++) {
        foreach ($arms as [$backend, $n, $kind]) {
            if (isset($skipped[$backend])) {
                continue;
            }
            $start = microtime(true);
            $report = run_arm($workload, $backend, $n, $kind, $seconds);
            $label = sprintf('%-14s n=%-9s %-4s run %d', $backend, number_format($n), $kind, $run);
            if (isset($report['skipped'])) {
                $skipped[$backend] = true;
                fwrite(STDERR, "$label  skipped: {$report['skipped']}\n");
            } elseif (isset($report['error'])) {
                fwrite(STDERR, "$label  ERROR: {$report['error']}\n");
            } else {
                fwrite(STDERR, sprintf("%s  %s (%.1f s)\n", $label, summary($report), microtime(true) - $start));
            }
            fwrite($out, json_encode(['bench' => $bench, 'backend' => $backend, 'n' => $n, 'kind' => $kind, 'run' => $run] + $report) . "\n");
        }
    }
}

/** @param array<string,mixed> $report */
function summary(array $report): string
{
    $parts = [];
    foreach ($report as $name => $value) {
        if (is_array($value) && isset($value['ns'])) {
            $parts[] = sprintf('%s %.0f ns', $name, $value['ns']);
        } elseif ($name === 'set_per_s') {
            $parts[] = sprintf('set %.0f k/s', $value / 1e3);
        } elseif ($name === 'invalidate_ns') {
            $parts[] = sprintf('invalidate %.1f us', $value / 1e3);
        } elseif (str_starts_with($name, 'readers_')) {
            $parts[] = $name . ' ' . implode('+', array_map(fn ($r) => isset($r['ns']) ? sprintf('%.0f/%.0f', $r['ns'], $r['cpu_ns']) : sprintf('w%.0fk', ($r['written_per_s'] ?? 0) / 1e3), $value));
        }
    }
    $parts[] = sprintf('%.0f MB', ($report['memory']['VmHWM'] ?? 0) / 1e6);
    return implode(', ', $parts);
}
