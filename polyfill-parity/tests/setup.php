<?php

declare(strict_types=1);

/*
 * What the tests of the package share. They run without the extension, with nothing but PHP:
 *
 *   php -n polyfill-parity/tests/run.php [name…]
 *
 * COPPICED names the owner daemon (default: build/owner-daemon/coppiced).
 */

namespace Coppice\Tests;

require_once __DIR__ . '/../autoload.php';

/** An owner daemon of a test's own. */
final class Owner
{
    /** @var ?resource */
    private $process = null;
    public readonly string $directory;
    public readonly string $socket;
    /** @var list<string> */
    private readonly array $arguments;

    public static function binary(): string
    {
        return getenv('COPPICED') ?: dirname(__DIR__, 2) . '/build/owner-daemon/coppiced';
    }

    public function __construct(string ...$arguments)
    {
        $this->directory = sys_get_temp_dir() . '/coppice-package-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir($this->directory, 0700);
        $this->socket = "$this->directory/s";
        $this->arguments = array_values($arguments);
        $this->start();
        $me = getmypid();
        register_shutdown_function(function () use ($me): void {
            if (getmypid() === $me) {
                $this->stop();
                array_map(unlink(...), glob("$this->directory/*") ?: []);
                rmdir($this->directory);
            }
        });
    }

    public function start(): void
    {
        $log = ['file', "$this->directory/log", 'a'];
        $process = proc_open([self::binary(), '--socket', $this->socket, ...$this->arguments], [['file', '/dev/null', 'r'], $log, $log], $pipes);
        $this->process = $process === false ? throw new \Exception('the owner can\'t be started') : $process;
        for ($i = 0; $i < 500; ++$i) {
            $probe = @stream_socket_client("unix://$this->socket", $code, $text, 1);
            if ($probe !== false) {
                fwrite($probe, "PING\r\n");
                if (fgets($probe) !== false) {
                    return;
                }
            }
            usleep(10_000);
        }
        throw new \Exception('the owner did not start: ' . file_get_contents("$this->directory/log"));
    }

    public function stop(int $signal = 15): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, $signal);
            proc_close($this->process);
            $this->process = null;
        }
    }

    public function dsn(string $query = ''): string
    {
        return "unix://$this->socket" . ($query === '' ? '' : "?$query");
    }
}

final class Count
{
    public static int $passed = 0;
    public static int $failed = 0;
}

function same(mixed $expected, mixed $actual, string $what): void
{
    if ($expected === $actual) {
        ++Count::$passed;
        return;
    }
    ++Count::$failed;
    echo "FAILED $what\n  expected: ", shown($expected), "\n  got:      ", shown($actual), "\n";
}

function shown(mixed $value): string
{
    return substr(json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE) ?: 'nothing', 0, 500);
}

function throws(string $class, string $text, callable $call): void
{
    try {
        $result = 'nothing, but ' . shown($call());
    } catch (\Throwable $e) {
        $result = get_class($e) . ': ' . $e->getMessage();
    }
    same(true, str_starts_with($result, "$class: ") && str_contains($result, $text), "$class: $text; it was $result");
}

/** @return list<string> the warnings that $call gives */
function warnings(callable $call): array
{
    $texts = [];
    set_error_handler(static function (int $level, string $text) use (&$texts): bool {
        if ((error_reporting() & $level) !== 0) {
            $texts[] = $text;
        }
        return true;
    });
    try {
        $call();
    } finally {
        restore_error_handler();
    }
    return $texts;
}

function free_port(): int
{
    $socket = stream_socket_server('tcp://127.0.0.1:0') ?: throw new \Exception('no port');
    $name = (string) stream_socket_get_name($socket, false);
    fclose($socket);
    return (int) substr($name, (int) strrpos($name, ':') + 1);
}
