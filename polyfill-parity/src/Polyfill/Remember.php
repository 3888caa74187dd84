<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\Pending;
use Coppice\SerializationException;

/**
 * One call of Cache::remember(): a hit is a read; on a miss one caller computes under a lease, the others wait for it.
 *
 *   read ── live, not chosen to refresh ───────────────────────────────▶ the value
 *    │
 *    ├─ nothing there:             lease, waiting for another's computation
 *    └─ stale, or chosen (XFetch): lease without waiting, for the version that was read
 *                                    ├─ granted: compute, fill ──▶ the value
 *                                    ├─ stored meanwhile: read again
 *                                    └─ for yourself: the old value, else compute without storing
 *
 * @internal
 */
final class Remember
{
    private const METHOD = 'Cache::remember';
    /** The old value of a version that somebody else was refreshing a moment ago is served without asking again. */
    private const ASK_AGAIN_MS = 10;
    /** No chance is so small that -ln of it goes beyond 37.4. */
    private const FARTHEST = 38.0;
    private const LONGEST_COMPUTE = 0xffffffff;

    /** @var array<string, int> "backend version" => when it was asked for, in ms; the last one only */
    private static array $refreshed = [];

    /** @var \Closure(mixed...): mixed */
    private readonly \Closure $compute;

    /**
     * @param string $key whole
     * @param ?int $stale in ms; null: without end
     * @param ?int $wait in ms; null: for ever
     */
    public function __construct(
        private readonly Backend $backend,
        private readonly Values $values,
        private readonly bool $throws,
        private readonly string $key,
        private readonly null|int|float|\DateInterval $ttl,
        callable $compute,
        private readonly float $beta,
        private readonly ?int $stale,
        private readonly ?int $wait,
    ) {
        $this->compute = $compute(...);
    }

    public function run(): mixed
    {
        try {
            $record = $this->backend->readRefreshable($this->key);
        } catch (Failure $e) {
            if ($e->kind !== Failure::LOADING) {
                Report::failure($e, $this->throws, self::METHOD);
                return $this->compute(null);
            }
            $record = null;
        }
        if ($record === null) {
            return $this->leaseAndCompute(false, 0, null);
        }
        $renew = $this->wantsRefresh($record);
        $value = null;
        $good = $this->decode($record, $value);
        if ($good && !$renew) {
            return $value;
        }
        return $this->leaseAndCompute($good, $record->version, $value);
    }

    private function decode(Record $record, mixed &$value): bool
    {
        return $this->values->decode($record, $this->key, self::METHOD, $value, $this->backend);
    }

    /** XFetch: computes anew when now - δβ·ln(rand) has reached the deadline, δ being the time that computing took. */
    private function wantsRefresh(Record $record): bool
    {
        if ($this->beta === INF) {
            return true;
        }
        if ($record->deadline === null) {
            return false;
        }
        $left = ($record->deadline - Clock::now()) * 1000.0;
        if ($left <= 0) {
            return true;
        }
        $reach = $this->beta * $record->computeMicros;
        return $left <= self::FARTHEST * $reach && -log((random_int(0, (1 << 52) - 1) + 0.5) / (1 << 52)) * $reach >= $left;
    }

    /** `$hasOld`: `$old` is the value of version `$seen`, which is to be renewed; else that of an entry that can't be used, or 0. */
    private function leaseAndCompute(bool $hasOld, int $seen, mixed $old): mixed
    {
        $forced = $hasOld && $this->beta === INF;
        $until = $this->wait === null ? null : Clock::now() + $this->wait;
        for (;;) {
            $now = Clock::now();
            $mayServe = $hasOld && !$forced;
            if ($mayServe && $this->isBeingRefreshed($seen, $now)) {
                return $old;
            }
            $left = $until === null ? null : max($until - $now, 0);
            try {
                $lease = $this->backend->lease($this->key, $mayServe ? 0 : $left, $seen);
            } catch (Failure $e) {
                if ($e->kind !== Failure::LOADING) {
                    Report::failure($e, $this->throws, self::METHOD);
                }
                $lease = new Lease(Lease::SELF);
            }
            if ($lease->outcome === Lease::GRANTED) {
                return $this->compute($lease->token);
            }
            if ($lease->outcome === Lease::SELF) {
                if ($mayServe) {
                    self::$refreshed = [$this->name($seen) => $now];
                    return $old;
                }
                return $this->compute(null);
            }
            $hasOld = $forced = false;
            $seen = 0;
            try {
                $record = $this->backend->readRefreshable($this->key);
            } catch (Failure) {
                $record = null;
            }
            if ($record !== null) {
                $seen = $record->version;
                $value = null;
                if ($this->decode($record, $value)) {
                    return $value;
                }
            }
            // Gone again: the next round asks for what is left of the wait.
        }
    }

    private function name(int $version): string
    {
        return spl_object_id($this->backend) . " $version";
    }

    private function isBeingRefreshed(int $version, int $now): bool
    {
        $asked = self::$refreshed[$this->name($version)] ?? null;
        return $asked !== null && $now - $asked < self::ASK_AGAIN_MS;
    }

    /** Computes; under the lease `$token` if there is one. */
    private function compute(?int $token): mixed
    {
        $state = new PendingState($token === null ? null : $this->backend, $token ?? 0, null);
        try {
            $state->ttl = Ttl::parse($this->ttl);
            $began = Clock::nowMicros();
            $value = $this->takesNothing() ? ($this->compute)() : ($this->compute)(Make::object(Pending::class, $state));
            if (!$state->skip && $state->hasLease()) {
                $this->store($state, Clock::nowMicros() - $began, $value);
            }
            return $value;
        } finally {
            $state->dropLease();
        }
    }

    /** Functions of PHP's own that take nothing are not given anything: they would throw. */
    private function takesNothing(): bool
    {
        $function = new \ReflectionFunction($this->compute);
        return $function->isInternal() && $function->getNumberOfParameters() === 0 && !$function->isVariadic();
    }

    private function store(PendingState $state, int $micros, mixed $value): void
    {
        try {
            [$type, $bytes] = $this->values->encode($this->key, $value);
        } catch (SerializationException $e) {
            $state->dropLease();
            $text = 'remember() returns a value that it could not store: ' . $e->getMessage();
            Report::failure(new Failure(Failure::NOT_SERIALIZABLE, $text), false, self::METHOD);
            return;
        }
        if (!$state->hasLease() || $state->skip) {  // the code that encodes may have forked, or thought better of it
            return;
        }
        // Whatever becomes of the value, its lease is over; an owner that can't be asked has seen the connection end.
        $token = $state->token;
        $state->forgetLease();
        try {
            $this->backend->fill($token, $this->key, $type, $bytes, $state->ttl, $this->stale, min($micros, self::LONGEST_COMPUTE), $state->tags);
        } catch (Failure $e) {
            Report::failure($e, false, self::METHOD);  // the value was computed: its caller has it whatever on_error says
        }
    }
}
