<?php

declare(strict_types=1);

namespace Coppice\Parity;

use Coppice\Cache;
use Coppice\Entry;
use Coppice\Throttle;

/**
 * What a scenario works with: caches of the implementation under test, and checks whose outcome is written down. An
 * outcome is what a call returned or threw, and the warnings that it gave, in a form that two implementations can be compared by.
 */
final class Checks
{
    private string $scenario = '';
    private int $number = 0;
    /** @var array<string, int> */
    private array $names = [];

    /** @param resource $out takes a line of JSON for each check */
    public function __construct(private readonly string $dsn, private $out, public readonly int $seed)
    {
    }

    public function begin(string $scenario): void
    {
        $this->scenario = $scenario;
        $this->number = 0;
        $this->names = [];
        mt_srand($this->seed);
    }

    /** @param array<string, mixed> $options */
    public function open(array $options = []): Cache
    {
        return Cache::open($this->dsn, $options);
    }

    /** Writes down what $call does. The name says what is asked, with the arguments where they are few. */
    public function check(string $name, callable $call): void
    {
        $warnings = [];
        set_error_handler(static function (int $level, string $text) use (&$warnings): bool {
            if ((error_reporting() & $level) !== 0) {
                $level = $level === E_USER_WARNING ? E_WARNING : $level;
                $warnings[] = "level $level: " . self::warning($text);
            }
            return true;
        });
        try {
            $outcome = self::told($call());
        } catch (\Throwable $e) {
            $outcome = 'throws ' . self::exception($e);
        } finally {
            restore_error_handler();
        }
        $this->note($name, $outcome, $warnings);
    }

    /** @param list<string> $warnings */
    private function note(string $name, string $outcome, array $warnings = []): void
    {
        $times = $this->names[$name] = ($this->names[$name] ?? 0) + 1;
        fwrite($this->out, json_encode([
            'check' => "$this->scenario #" . ++$this->number . ' ' . self::printable($name) . ($times > 1 ? " ($times)" : ''),
            'outcome' => $outcome,
            'warnings' => $warnings,
        ], JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
    }

    private static function printable(string $text): string
    {
        return (string) preg_replace_callback('/[^\x20-\x7e]/', static fn (array $m): string => sprintf('\x%02x', ord($m[0])), $text);
    }

    /** Within a walk the extension's warnings bear the name of the script's function; ours can't. */
    private static function warning(string $text): string
    {
        $text = str_replace('Coppice\Scan::getIterator(): ', '', $text);
        return self::printable((string) preg_replace('/^(?!Coppice\\\\(?:Cache|Lock|Pending)::)[\w\\\\{}:]+\(\): /', '', $text));
    }

    private static function exception(\Throwable $e): string
    {
        $text = $e->getMessage();
        if ($e instanceof \ArgumentCountError) {
            // PHP words it otherwise for its own functions.
            $text = '';
        } elseif ($e instanceof \TypeError) {
            // So with types: where the caller stands, what a callback is to be, and from PHP 8.3 on what a bool is.
            $text = (string) preg_replace('/, called in .* on line \d+$/', '', $text);
            $text = str_replace(['must be a valid callback', ', true given', ', false given'], ['must be of type callable', ', bool given', ', bool given'], $text);
        }
        $previous = $e->getPrevious();
        return get_class($e) . '(' . self::printable($text) . ')' . ($previous === null ? '' : ' after ' . get_class($previous) . '(' . self::printable($previous->getMessage()) . ')');
    }

    /** A value to the bit: types, order of keys, references, what lies in objects. */
    public static function told(mixed $value): string
    {
        if ($value instanceof Entry) {
            // A version is any number; what is left of a TTL is the clock's.
            return 'Entry(' . self::told($value->value) . ', ttl ' . ($value->ttl === null ? 'null' : 'of ' . get_debug_type($value->ttl)) . ', version ' . get_debug_type($value->version)
                . ', tags ' . self::told($value->tags) . ", $value->bytes bytes, $value->encoding)";
        }
        if ($value instanceof Throttle) {
            return 'Throttle(' . self::told($value->allowed) . ", $value->remaining, retry after " . ($value->retryAfter === INF ? 'INF' : round($value->retryAfter)) . ')';
        }
        if ($value instanceof Cache) {
            return 'Cache';
        }
        if ($value instanceof \Traversable) {
            $pairs = [];
            foreach ($value as $key => $each) {
                $pairs[] = self::told($key) . ' => ' . self::told($each);
            }
            return 'walk(' . implode(', ', $pairs) . ')';
        }
        if (is_array($value) && array_filter($value, is_object(...)) !== []) {
            $told = [];
            foreach ($value as $key => $each) {
                $told[] = self::told($key) . ' => ' . self::told($each);
            }
            return 'array(' . implode(', ', $told) . ')';
        }
        if (is_float($value)) {
            return 'float ' . bin2hex(pack('E', $value));
        }
        if (is_resource($value)) {
            return 'resource';
        }
        return get_debug_type($value) . ' ' . self::printable(strlen($s = serialize($value)) > 4000 ? 'of ' . strlen($s) . ' bytes, ' . hash('sha256', $s) : $s);
    }
}
