<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\Polyfill\Codec\Decoder;
use Coppice\Polyfill\Codec\Encoder;
use Coppice\Polyfill\Codec\Undecodable;
use Coppice\Polyfill\Codec\Unencodable;
use Coppice\SerializationException;
use Coppice\WrongTypeException;

/**
 * PHP values to what a store keeps, and back, as a handle's options have it.
 *
 * @internal
 */
final class Values
{
    /** Decoded values cheaper than this are made anew: keeping them costs as much. */
    private const SMALLEST_KEPT = 16;

    /** @param ?list<string> $allowedClasses null: all */
    public function __construct(
        private readonly bool $throws,
        private readonly bool $igbinary,
        private readonly ?array $allowedClasses,
    ) {
    }

    /**
     * `$key` is for messages.
     *
     * @return array{int, string} type and bytes
     * @throws SerializationException
     */
    public function encode(string $key, mixed $value): array
    {
        if (is_string($value)) {
            return [ValueType::STRING, $value];
        }
        if (is_int($value)) {
            return [ValueType::INTEGER, (string) $value];
        }
        if (is_array($value)) {
            try {
                $bytes = Encoder::encode($value);
            } catch (Unencodable $e) {
                throw $this->refusal($key, $e->getMessage());
            }
            return $bytes === null ? $this->encodeObject($key, $value) : [ValueType::ARRAY, $bytes];
        }
        return match (true) {
            $value === null => [ValueType::NULL, ''],
            $value === false => [ValueType::FALSE, ''],
            $value === true => [ValueType::TRUE, ''],
            is_float($value) => [ValueType::DOUBLE, pack('e', $value)],
            is_object($value) => $this->encodeObject($key, $value),
            default => throw $this->refusal($key, 'it is a resource'),
        };
    }

    /** @return array{int, string} */
    private function encodeObject(string $key, mixed $value): array
    {
        // igbinary_unserialize() knows no allowed classes.
        $byIgbinary = $this->igbinary && $this->allowedClasses === null;
        try {
            $bytes = $byIgbinary ? igbinary_serialize($value) : serialize($value);
        } catch (\Throwable $e) {
            throw $this->refusal($key, 'its serialization threw', $e);
        }
        if (!is_string($bytes)) {
            throw $this->refusal($key, "it can't be serialized");
        }
        return [$byIgbinary ? ValueType::IGBINARY : ValueType::SERIALIZED, $bytes];
    }

    private function refusal(string $key, string $why, ?\Throwable $previous = null): SerializationException
    {
        return new SerializationException('the value for key ' . Report::key($key) . " can't be stored: $why", 0, $previous);
    }

    /**
     * Makes `$value` what the record holds. False: it can't be decoded, and a warning said so; it counts as a miss.
     * An array without objects and references is kept in the record, and from then on costs nothing.
     *
     * @param ?Backend $keeper says whether the decoded form may be kept
     * @throws SerializationException with on_error=throw
     * @throws WrongTypeException something else than a value of this cache
     */
    public function decode(Record $record, string $key, string $method, mixed &$value, ?Backend $keeper = null): bool
    {
        if ($record->isDecoded) {
            $value = $record->value;
            return true;
        }
        switch ($record->type) {
            case ValueType::STRING:
                $value = $record->bytes;
                return true;
            case ValueType::INTEGER:
                return self::integer($record->bytes, $value) || $this->broken($key, $method, 'it is no integer');
            case ValueType::NULL:
                $value = null;
                return true;
            case ValueType::FALSE:
                $value = false;
                return true;
            case ValueType::TRUE:
                $value = true;
                return true;
            case ValueType::DOUBLE:
                if (strlen($record->bytes) !== 8) {
                    return $this->broken($key, $method, 'it is no float');
                }
                /** @var array{1: float} $double */
                $double = unpack('e', $record->bytes);
                $value = $double[1];
                return true;
            case ValueType::ARRAY:
                return $this->array($record, $key, $method, $value, $keeper);
            case ValueType::SERIALIZED:
                return $this->unserialize($record->bytes, $key, $method, $value);
            case ValueType::IGBINARY:
                return $this->igbinary($record->bytes, $key, $method, $value);
        }
        throw new WrongTypeException('key ' . Report::key($key) . ' holds something else than a value of this cache');
    }

    /** The whole of `$bytes` as a decimal of 64 bits. */
    private static function integer(string $bytes, mixed &$value): bool
    {
        $n = (int) $bytes;
        if ((string) $n !== $bytes) {
            // Not as we write it; numbers of other hands may have leading zeros.
            if (preg_match('/^-?[0-9]+\z/', $bytes) !== 1 || !is_int($n = Options::number($bytes))) {
                return false;
            }
        }
        $value = $n;
        return true;
    }

    private function array(Record $record, string $key, string $method, mixed &$value, ?Backend $keeper): bool
    {
        $cost = 0;
        try {
            $value = Decoder::decode($record->bytes, $cost);
        } catch (Undecodable) {
            return $this->broken($key, $method, 'its bytes are no array encoding of this version');
        }
        if ($keeper !== null && $cost > self::SMALLEST_KEPT && $keeper->mayKeep($record, $cost)) {
            $record->value = $value;
            $record->isDecoded = true;
            $record->bytes = '';
        }
        return true;
    }

    private function unserialize(string $bytes, string $key, string $method, mixed &$value): bool
    {
        // What unserialize() says of broken bytes is said by us; what user code says on the way is not ours.
        $previous = null;
        $previous = set_error_handler(static function (int $level, string $text, string $file, int $line) use (&$previous): bool {
            if (str_starts_with($text, 'unserialize(): Error at offset') || str_starts_with($text, 'unserialize(): Extra data')) {
                return true;
            }
            return $previous !== null && $previous($level, $text, $file, $line) !== false;
        });
        $thrown = null;
        $result = false;
        try {
            $result = unserialize($bytes, ['allowed_classes' => $this->allowedClasses ?? true]);
        } catch (\Throwable $e) {
            $thrown = $e;
        } finally {
            restore_error_handler();
        }
        if ($thrown !== null) {
            return $this->threw($key, $method, $thrown);
        }
        if ($result === false && $bytes !== 'b:0;') {
            return $this->broken($key, $method, "its bytes can't be unserialized");
        }
        $value = $result;
        return true;
    }

    private function igbinary(string $bytes, string $key, string $method, mixed &$value): bool
    {
        if (!function_exists('igbinary_unserialize')) {
            return $this->broken($key, $method, 'it was written by igbinary, which is not loaded here');
        }
        if ($this->allowedClasses !== null) {
            return $this->broken($key, $method, "it was written by igbinary, which can't honour allowed_classes");
        }
        try {
            $result = igbinary_unserialize($bytes);
        } catch (\Throwable $e) {
            return $this->threw($key, $method, $e);
        }
        if (!is_object($result) && !is_array($result)) {
            return $this->broken($key, $method, "its bytes can't be unserialized by igbinary");
        }
        $value = $result;
        return true;
    }

    private function threw(string $key, string $method, \Throwable $thrown): bool
    {
        if ($this->throws) {
            throw new SerializationException('the value of key ' . Report::key($key) . " can't be decoded: unserializing it threw", 0, $thrown);
        }
        Report::warning($method, 'the value of key ' . Report::key($key) . ' counts as a miss: unserializing it threw');
        return false;
    }

    private function broken(string $key, string $method, string $why): bool
    {
        if ($this->throws) {
            throw new SerializationException('the value of key ' . Report::key($key) . " can't be decoded: $why");
        }
        Report::warning($method, 'the value of key ' . Report::key($key) . " counts as a miss: $why");
        return false;
    }
}
