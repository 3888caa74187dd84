<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Resp;

/**
 * RESP2 over one stream: sends requests, and reads replies as PHP values. Bulk strings are strings, integers ints, nil null,
 * arrays lists, status lines strings, errors ErrorReply.
 *
 * @internal
 */
final class Wire
{
    private const CHUNK = 1 << 16;
    private const LONGEST_LINE = 1 << 16;
    private const LARGEST_BULK = 512 << 20;
    private const DEEPEST = 8;

    private string $buffer = '';
    private int $at = 0;
    private float $began = 0.0;
    private int $received = 0;
    private int $patienceMs = 0;

    /** @param resource $stream connected */
    public function __construct(private $stream, private readonly int $timeoutMs)
    {
        stream_set_blocking($stream, true);
        stream_set_chunk_size($stream, self::CHUNK);
        stream_set_read_buffer($stream, 0);
        stream_set_write_buffer($stream, 0);
    }

    /** @param list<string|int> $arguments */
    public static function encode(array $arguments): string
    {
        $request = '*' . count($arguments) . "\r\n";
        foreach ($arguments as $argument) {
            $argument = (string) $argument;
            $request .= '$' . strlen($argument) . "\r\n" . $argument . "\r\n";
        }
        return $request;
    }

    /** @throws Broken */
    public function send(string $request): void
    {
        $sent = 0;
        $length = strlen($request);
        $began = microtime(true);
        stream_set_timeout($this->stream, intdiv($this->timeoutMs, 1000), $this->timeoutMs % 1000 * 1000);
        while ($sent < $length) {
            $n = @fwrite($this->stream, $sent === 0 ? $request : substr($request, $sent, 1 << 20));
            if ($n === false || $n === 0) {
                if (stream_get_meta_data($this->stream)['timed_out'] || (microtime(true) - $began) * 1000 >= $this->timeoutMs) {
                    throw new Broken("the owner did not take the request within $this->timeoutMs ms");
                }
                throw new Broken('send to the owner: ' . self::reason('Broken pipe'), $sent === 0);
            }
            $sent += $n;
            if ($this->isSlow($began, $sent, 0)) {
                throw new Broken('the owner took the request too slowly');
            }
        }
    }

    /**
     * The next reply, for which the owner may take so long in addition.
     *
     * @throws Broken
     */
    public function reply(int $patienceMs = 0): mixed
    {
        $this->began = microtime(true);
        $this->received = 0;
        $this->patienceMs = $patienceMs;
        return $this->value(0);
    }

    /** Whether the owner said something that nobody asked for, or closed: without waiting. */
    public function isDisturbed(): bool
    {
        if ($this->at < strlen($this->buffer)) {
            return true;
        }
        $read = [$this->stream];
        $write = $except = null;
        return @stream_select($read, $write, $except, 0) !== 0;
    }

    public function close(): void
    {
        @fclose($this->stream);
    }

    private static function reason(string $default): string
    {
        $text = error_get_last()['message'] ?? '';
        return preg_match('/errno=\d+ (.+)$/', $text, $m) === 1 ? $m[1] : $default;
    }

    /** One timeout for each mebibyte begun: a peer that gives or takes a byte now and then can't hold us. */
    private function isSlow(float $began, int $bytes, int $patienceMs): bool
    {
        return (microtime(true) - $began) * 1000 > (1 + ($bytes >> 20)) * $this->timeoutMs + $patienceMs;
    }

    /** @throws Broken */
    private function fill(): void
    {
        if ($this->at > 0) {
            $this->buffer = substr($this->buffer, $this->at);
            $this->at = 0;
        }
        $patience = $this->timeoutMs + $this->patienceMs;
        stream_set_timeout($this->stream, intdiv($patience, 1000), $patience % 1000 * 1000);
        $bytes = @fread($this->stream, self::CHUNK);
        if ($bytes === false || $bytes === '') {
            if (stream_get_meta_data($this->stream)['timed_out']) {
                throw new Broken("the owner did not answer within $patience ms");
            }
            throw new Broken('the owner closed the connection before it answered');
        }
        $this->buffer .= $bytes;
        $this->received += strlen($bytes);
        if ($this->isSlow($this->began, $this->received, $this->patienceMs)) {
            throw new Broken('the owner answered too slowly');
        }
    }

    private function line(): string
    {
        while (($end = strpos($this->buffer, "\r\n", $this->at)) === false) {
            if (strlen($this->buffer) - $this->at > self::LONGEST_LINE) {
                throw new Broken("the owner's answer is no RESP: a line has no end");
            }
            $this->fill();
        }
        $line = substr($this->buffer, $this->at, $end - $this->at);
        $this->at = $end + 2;
        return $line;
    }

    private static function number(string $digits): int
    {
        if (preg_match('/^-?[0-9]{1,19}\z/', $digits) !== 1) {
            throw new Broken("the owner's answer is no RESP: a number is none");
        }
        return (int) $digits;
    }

    private function value(int $depth): mixed
    {
        $line = $this->line();
        $rest = substr($line, 1);
        switch ($line[0] ?? '') {
            case ':':
                return self::number($rest);
            case '$':
                return $this->bulk(self::number($rest));
            case '*':
                return $this->list(self::number($rest), $depth + 1);
            case '+':
                return $rest;
            case '-':
                return new ErrorReply($rest);
        }
        throw new Broken("the owner's answer is no RESP: it begins with an unknown type");
    }

    private function bulk(int $length): ?string
    {
        if ($length === -1) {
            return null;
        }
        if ($length < 0 || $length > self::LARGEST_BULK) {
            throw new Broken("the owner's answer is no RESP: a length is out of range");
        }
        if (strlen($this->buffer) - $this->at < $length + 2) {
            $this->fillTo($length + 2);
        }
        $bytes = substr($this->buffer, $this->at, $length);
        if (substr($this->buffer, $this->at + $length, 2) !== "\r\n") {
            throw new Broken("the owner's answer is no RESP: a string is longer than it says");
        }
        $this->at += $length + 2;
        return $bytes;
    }

    private function fillTo(int $length): void
    {
        while (strlen($this->buffer) - $this->at < $length) {
            $this->fill();
        }
    }

    /** @return ?list<mixed> */
    private function list(int $count, int $depth): ?array
    {
        if ($count === -1) {
            return null;
        }
        if ($count < 0 || $depth > self::DEEPEST) {
            throw new Broken("the owner's answer is no RESP: an array is out of range");
        }
        $list = [];
        while (--$count >= 0) {
            $list[] = $this->value($depth);
        }
        return $list;
    }
}
