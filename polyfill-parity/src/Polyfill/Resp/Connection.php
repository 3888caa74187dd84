<?php

declare(strict_types=1);

namespace Coppice\Polyfill\Resp;

use Coppice\Polyfill\Clock;
use Coppice\Polyfill\Failure;
use Coppice\Polyfill\Options;

/**
 * A connection to an owner: made at first use and anew when it was lost, with back-off (10 ms doubling to 500) while there is none.
 * In a forked child the parent's is left alone and another one is made.
 *
 * @internal
 */
final class Connection
{
    private const FIRST_BACK_OFF = 10;
    private const LONGEST_BACK_OFF = 500;
    /** A connection that lasted less is no reason to try again at once. */
    private const SHORT = 100;
    /** Idle for longer, one looks whether the owner is still there before a request is sent into the void. */
    private const IDLE = 1000;

    private ?Wire $wire = null;
    private int $process = 0;
    private int $backOff = self::FIRST_BACK_OFF;
    private int $nextAttempt = 0;
    private int $connectedAt = 0;
    private int $usedAt = 0;
    private int $kind = Failure::UNREACHABLE;
    private string $failure = '';

    public function __construct(private readonly Options $options)
    {
    }

    public function isConnected(): bool
    {
        return $this->wire !== null && $this->process === getmypid();
    }

    /**
     * One round trip. Whether a command took effect is not known where this throws UNREACHABLE.
     *
     * @param list<string|int> $arguments
     * @param int $patienceMs beyond the timeout
     * @throws Failure
     */
    public function call(array $arguments, int $patienceMs = 0): mixed
    {
        return $this->calls([$arguments], $patienceMs)[0];
    }

    /**
     * Several commands in one round trip.
     *
     * @param non-empty-list<list<string|int>> $commands
     * @return non-empty-list<mixed>
     * @throws Failure
     */
    public function calls(array $commands, int $patienceMs = 0): array
    {
        $request = '';
        foreach ($commands as $arguments) {
            $request .= Wire::encode($arguments);
        }
        // Once more only where the owner cannot have seen any of it: it had gone before we sent.
        for ($attempt = 0;; ++$attempt) {
            $wire = $this->connected();
            try {
                $wire->send($request);
                $replies = [];
                foreach ($commands as $_) {
                    $replies[] = $wire->reply($patienceMs);
                }
                $this->usedAt = Clock::now();
                foreach ($replies as $reply) {
                    if ($reply instanceof ErrorReply) {
                        throw self::refusal($reply);
                    }
                }
                return $replies;
            } catch (Broken $e) {
                $this->drop($e->getMessage());
                if (!$e->peerHadGone || $attempt > 0) {
                    throw new Failure($this->kind, $this->failure);
                }
                $this->nextAttempt = 0;
            }
        }
    }

    private static function refusal(ErrorReply $reply): Failure
    {
        return new Failure(match ($reply->code()) {
            'LOADING' => Failure::LOADING,
            'OOM', 'TOOLARGE' => Failure::REFUSED,
            'NOTINT' => Failure::NOT_INTEGER,
            'OVERFLOW' => Failure::OVERFLOW,
            'WRONGTYPE' => Failure::WRONG_TYPE,
            'BADTAG' => Failure::BAD_ARGUMENT,
            default => Failure::OTHER,
        }, $reply->text);
    }

    /** @throws Failure */
    private function connected(): Wire
    {
        $process = getmypid();
        if ($this->process !== $process) {
            // The parent's stream is not closed, only its copy here, when the object goes.
            $this->wire = null;
            $this->process = (int) $process;
            $this->nextAttempt = 0;
            $this->backOff = self::FIRST_BACK_OFF;
        }
        if ($this->wire !== null) {
            if (Clock::now() - $this->usedAt < self::IDLE || !$this->wire->isDisturbed()) {
                return $this->wire;
            }
            $this->drop('the owner is gone');
            $this->nextAttempt = 0;
        }
        $now = Clock::now();
        if ($now < $this->nextAttempt) {
            throw new Failure($this->kind, $this->failure);
        }
        try {
            $wire = new Wire($this->open(), $this->options->timeoutMs);
            $this->greet($wire);
        } catch (Broken $e) {
            $this->failure = $e->getMessage();
            if (Clock::now() - $now >= self::LONGEST_BACK_OFF) {
                $this->backOff = self::LONGEST_BACK_OFF;
            }
            $this->nextAttempt = Clock::now() + $this->backOff;
            $this->backOff = min($this->backOff * 2, self::LONGEST_BACK_OFF);
            throw new Failure($this->kind, $this->failure);
        }
        $this->connectedAt = $this->usedAt = Clock::now();
        return $this->wire = $wire;
    }

    private function drop(string $why): void
    {
        $this->wire?->close();
        $this->wire = null;
        $this->kind = Failure::UNREACHABLE;
        $this->failure = $why;
        $now = Clock::now();
        if ($now - $this->connectedAt >= self::SHORT) {
            $this->backOff = self::FIRST_BACK_OFF;
            $this->nextAttempt = $now;
        } else {
            $this->nextAttempt = $now + $this->backOff;
            $this->backOff = min($this->backOff * 2, self::LONGEST_BACK_OFF);
        }
    }

    /**
     * @return resource
     * @throws Broken
     */
    private function open()
    {
        $this->kind = Failure::UNREACHABLE;
        $address = $this->options->address;
        $unix = $this->options->scheme === 'unix';
        $code = 0;
        $text = '';
        $stream = @stream_socket_client(
            ($unix ? 'unix://' : 'tcp://') . $address,
            $code,
            $text,
            $this->options->timeoutMs / 1000,
            STREAM_CLIENT_CONNECT,
            stream_context_create(['socket' => ['tcp_nodelay' => true]])
        );
        if ($stream === false) {
            throw new Broken("cannot connect to $address: " . ($text === '' ? 'unknown error' : $text));
        }
        if ($unix) {
            $this->checkOwner($address);
        }
        return $stream;
    }

    /** The extension asks the kernel who is at the other end; here the socket's file has to tell. */
    private function checkOwner(string $path): void
    {
        $uid = @fileowner($path);
        $own = function_exists('posix_geteuid') ? posix_geteuid() : @fileowner('/proc/self');
        if ($uid === false || $own === false || $uid === 0 || $uid === $own || $uid === $this->options->ownerUid) {
            return;
        }
        throw new Broken("the owner at $path runs under uid $uid, which is neither root, nor this process's uid, nor owner_uid");
    }

    /** @throws Broken */
    private function greet(Wire $wire): void
    {
        $commands = [];
        if ($this->options->password !== '') {
            $commands[] = $this->options->user === ''
                ? ['AUTH', $this->options->password]
                : ['AUTH', $this->options->user, $this->options->password];
        }
        if ($this->options->database !== 0) {
            $commands[] = ['SELECT', $this->options->database];
        }
        if ($commands === []) {
            return;
        }
        $wire->send(implode('', array_map(Wire::encode(...), $commands)));
        foreach ($commands as [$name]) {
            $reply = $wire->reply();
            if ($reply instanceof ErrorReply) {
                $wire->close();
                $this->kind = $reply->code() === 'LOADING' ? Failure::LOADING : Failure::UNREACHABLE;
                throw new Broken("the owner refused $name: $reply->text");
            }
        }
    }
}
