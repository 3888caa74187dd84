<?php
// Checks of the clients' programs in PHP: see ../run.py for the lines that they print.
declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    // Old packages on a new PHP; and what is silenced by @.
    if ((error_reporting() & $level) === 0) {
        return false;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
}, E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);

final class Check
{
    public static bool $failed = false;

    /** The server's unix socket. */
    public static function socket(): string
    {
        return (string) getenv('COPPICE_SOCKET');
    }

    public static function port(): int
    {
        return (int) getenv('COPPICE_PORT');
    }

    /** Whether it is Coppice that is asked, and not redis-server for comparison. */
    public static function coppice(): bool
    {
        return getenv('COPPICE_SERVER') !== 'redis';
    }

    public static function long(): bool
    {
        return getenv('COPPICE_LONG') === '1';
    }

    public static function test(string $name, callable $body): void
    {
        try {
            $body();
            echo "ok $name\n";
        } catch (Throwable $error) {
            self::$failed = true;
            $words = get_class($error) . ': ' . $error->getMessage();
            echo 'not ok ', str_replace("\n", ' ', "$name: $words"), "\n", $error->getTraceAsString(), "\n";
        }
    }

    public static function same(mixed $expected, mixed $got, string $what = ''): void
    {
        if ($expected !== $got) {
            throw new Exception(($what === '' ? '' : "$what: ") . 'expected ' . self::words($expected) . ', got ' . self::words($got));
        }
    }

    public static function true(bool $right, string $what): void
    {
        if (!$right) {
            throw new Exception($what);
        }
    }

    /** That `body` throws an error of this class whose words contain `text`. */
    public static function throws(string $class, string $text, callable $body): void
    {
        try {
            $result = $body();
        } catch (Throwable $error) {
            self::true($error instanceof $class && ($text === '' || str_contains($error->getMessage(), $text)),
                "expected $class with '$text', got " . get_class($error) . ': ' . $error->getMessage());
            return;
        }
        throw new Exception("expected $class with '$text', got " . self::words($result));
    }

    /** Waits for what comes by itself. */
    public static function until(callable $condition, float $seconds = 60): void
    {
        for ($end = microtime(true) + $seconds; !$condition(); usleep(2000)) {
            self::true(microtime(true) < $end, "it did not come within $seconds s");
        }
    }

    /**
     * Runs `body` in children at the same time; what each returned, in the children's order.
     *
     * @return list<mixed>
     */
    public static function together(int $count, callable $body): array
    {
        $results = $pipes = [];
        for ($n = 0; $n < $count; ++$n) {
            $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $pid = pcntl_fork();
            if ($pid === 0) {
                fclose($pair[0]);
                try {
                    $result = $body($n);
                } catch (Throwable $error) {
                    $result = get_class($error) . ': ' . $error->getMessage();
                }
                fwrite($pair[1], serialize($result));
                fclose($pair[1]);
                // Destructors of what the parent made must not run here.
                posix_kill(posix_getpid(), SIGKILL);
            }
            fclose($pair[1]);
            $pipes[$n] = [$pid, $pair[0]];
        }
        foreach ($pipes as $n => [$pid, $pipe]) {
            $text = (string) stream_get_contents($pipe);
            pcntl_waitpid($pid, $status);
            $results[$n] = $text === '' ? "child $n said nothing" : unserialize($text);
        }
        return $results;
    }

    public static function end(): never
    {
        exit(self::$failed ? 1 : 0);
    }

    private static function words(mixed $value): string
    {
        $text = is_string($value) ? "'" . addcslashes($value, "\0..\37\177..\377") . "'" : var_export($value, true);
        return strlen($text) > 300 ? substr($text, 0, 300) . '…' : $text;
    }
}
