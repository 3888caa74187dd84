<?php
// php codec.php <build> [option…]: see codec. With "arm" for the build: one run in this process.
declare(strict_types=1);

namespace Bench;

error_reporting(E_ALL);

/** Each codec: encode, decode. Those that this PHP lacks are left out. @return array<string, array{callable, callable}> */
function codecs(): array
{
    $all = ['coppice' => ['coppice_codec_encode', 'coppice_codec_decode'], 'serialize' => ['serialize', 'unserialize'],
        'igbinary' => ['igbinary_serialize', 'igbinary_unserialize']];
    return array_filter($all, static fn (array $pair): bool => is_callable($pair[0]));
}

/** Microseconds of this process's own processor time: the machine is shared. */
function processor_time(): int
{
    $usage = getrusage();
    return 1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

/** Nanoseconds a call, the loop's own few included. */
function time_calls(callable $call, mixed $argument, int $times): float
{
    $start = processor_time();
    for ($i = 0; $i < $times; $i++) {
        $result = $call($argument);
    }
    return max(1, processor_time() - $start) * 1000 / $times;
}

/** How often to call so that it takes about that long. */
function times_for(callable $call, mixed $argument, float $seconds): int
{
    $ns = time_calls($call, $argument, 200);  // some, so that everything is warm
    return max(3, (int) ($seconds * 1e9 / $ns));
}

/** One run: the codecs take turns, and each one's figure is the least of its turns. */
function run_once(string $peers, float $seconds, int $rounds): void
{
    foreach (codec_values($peers) as $value_name => $value) {
        $arms = $least = [];
        foreach (codecs() as $codec => [$encode, $decode]) {
            $bytes = $encode($value);
            if ($decode($bytes) !== $value) {
                echo json_encode(['codec' => $codec, 'value' => $value_name, 'error' => 'another value came back']), "\n";
                exit(1);
            }
            $each = $seconds / $rounds;
            $arms[$codec] = [[$encode, $value, times_for($encode, $value, $each)], [$decode, $bytes, times_for($decode, $bytes, $each)]];
        }
        for ($round = 0; $round < $rounds; $round++) {
            foreach ($arms as $codec => $directions) {
                foreach ($directions as $direction => [$call, $argument, $times]) {
                    $least[$codec][$direction] = min($least[$codec][$direction] ?? INF, time_calls($call, $argument, $times));
                }
            }
        }
        foreach ($least as $codec => [$encode_ns, $decode_ns]) {
            echo json_encode(['value' => $value_name, 'codec' => $codec, 'elements' => count($value, COUNT_RECURSIVE),
                'encode_ns' => $encode_ns, 'decode_ns' => $decode_ns, 'bytes' => strlen($arms[$codec][1][1])]), "\n";
        }
    }
}

if ($argv[1] === 'arm') {
    define('Bench\PEERS', $argv[2]);
    require __DIR__ . '/codec_values.php';
    run_once($argv[2], (float) $argv[3], 25);
    exit;
}

define('Bench\BUILD', $argv[1]);
define('Bench\PEERS', BUILD . '/bench-peers');
require __DIR__ . '/driver.php';

$options = ['runs' => '5', 'seconds' => '0.25', 'out' => BUILD . '/bench-results/codec.jsonl'];
$options = given_options($options, array_slice($argv, 2));
@mkdir(dirname($options['out']), 0777, true);
$out = fopen($options['out'], 'w') ?: exit(2);
$about = about();
$about['about'] += ['igbinary' => phpversion('igbinary') ?: null, 'laravel' => is_dir(PEERS . '/laravel/framework/config')];
fwrite($out, json_encode(['bench' => 'codec'] + $about) . "\n");
// Nothing is loaded but the peers, so that this machine's settings don't matter.
$command = [PHP_BINARY, '-n', '-d', 'memory_limit=-1', '-d', 'extension=' . BUILD . '/bench/php/coppice_codec.so'];
foreach (['igbinary', 'tokenizer'] as $extension) {
    if (extension_loaded($extension) && is_file(ini_get('extension_dir') . "/$extension.so")) {
        array_push($command, '-d', "extension=$extension");
    }
}
array_push($command, __FILE__, 'arm', PEERS, $options['seconds']);
for ($run = 1; $run <= (int) $options['runs']; $run++) {
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
    $lines = explode("\n", trim((string) stream_get_contents($pipes[1])));
    if (proc_close($process) !== 0) {
        fwrite(STDERR, 'run ' . $run . ' failed: ' . end($lines) . "\n");
        exit(1);
    }
    foreach ($lines as $line) {
        $row = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        fwrite($out, json_encode(['bench' => 'codec', 'run' => $run] + $row) . "\n");
        fprintf(STDERR, "run %d  %-14s %-10s encode %8.0f ns  decode %8.0f ns  %6d bytes\n", $run, $row['value'], $row['codec'], $row['encode_ns'], $row['decode_ns'], $row['bytes']);
    }
}
fwrite(STDERR, "results in {$options['out']}\n");
