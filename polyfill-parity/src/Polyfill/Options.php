<?php

declare(strict_types=1);

namespace Coppice\Polyfill;

use Coppice\InvalidArgumentException;

/**
 * What a DSN, the settings and the options of Cache::open() ask for. The later of them wins.
 *
 * @internal
 */
final class Options
{
    private const LONGEST_KEY = 4096;
    private const SMALLEST_MAX_MEMORY = 2 << 20;
    private const LARGEST_MAX_VALUE = 511 << 20;
    private const DATABASES = 64;
    public const POLICIES = ['noeviction', 'allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl'];

    /** What an option can be, behind a message that says what it can't. */
    private const POSSIBLE = [
        'on_error' => 'warn or throw',
        'serializer' => 'php or igbinary',
        'allowed_classes' => '1, 0 or names of classes with commas between them',
        'max_memory' => 'a size from 2M on, such as 256M or 2G',
        'max_value' => 'a size up to 511M',
        'policy' => 'noeviction, allkeys-lru, volatile-lru, allkeys-random or volatile-ttl',
        'db' => 'a number from 0 to 63',
        'timeout' => 'seconds above 0, up to 3600',
        'prefault' => '1 or 0',
        'owner_uid' => 'the number of a user',
    ];

    /** local, unix or redis. */
    public string $scheme = 'local';
    public string $prefix = '';
    public bool $throws = false;
    public bool $igbinary = false;
    /** @var ?list<string> null: all */
    public ?array $allowedClasses = null;

    /** Of a local store. */
    public string $name = '';
    public int $defaultMaxMemory = 256 << 20;
    public ?int $maxMemory = null;
    public ?int $maxValue = null;
    public ?string $policy = null;

    /** Of an owner: its socket's path, or host:port. */
    public string $address = '';
    public string $user = '';
    public string $password = '';
    public int $database = 0;
    public int $timeoutMs = 2000;
    public ?int $ownerUid = null;

    private function __construct()
    {
    }

    /**
     * @param array<mixed> $options
     * @throws InvalidArgumentException
     */
    public static function gather(string $given, array $options): self
    {
        $dsn = $given;
        if (str_starts_with($given, 'auto:')) {
            if ($given !== 'auto:') {
                throw new InvalidArgumentException('an auto: DSN has no options of its own');
            }
            $dsn = self::automatic();
        }
        $o = new self();
        // Settings first, so that the DSN overrides them; but which of them apply depends on the DSN's scheme.
        $scheme = new self();
        $scheme->applyDsn($dsn);
        $o->scheme = $scheme->scheme;
        $o->applySettings();
        $o->applyDsn($dsn);
        foreach ($options as $name => $value) {
            if (is_int($name)) {
                throw new InvalidArgumentException('options are given by name');
            }
            if ($value === null) {
                continue;
            }
            $isList = is_array($value) && $name === 'allowed_classes';
            $o->apply($name, $isList ? self::classListText($value) : self::optionText($name, $value));
        }
        if ($o->igbinary && !function_exists('igbinary_unserialize')) {
            throw new InvalidArgumentException('serializer=igbinary, but the igbinary extension is not loaded');
        }
        return $o;
    }

    private static function automatic(): string
    {
        $setting = self::setting('dsn');
        if ($setting !== '') {
            return $setting;
        }
        $variable = getenv('COPPICE_DSN');
        return is_string($variable) && $variable !== '' ? $variable : 'local:';
    }

    /** A coppice.* line of php.ini: without the extension ini_get() does not know it. */
    private static function setting(string $name): string
    {
        $value = ini_get("coppice.$name");
        if ($value === false) {
            $value = get_cfg_var("coppice.$name");
        }
        return is_string($value) ? $value : '';
    }

    private function applySettings(): void
    {
        $names = ['prefix', 'on_error', 'allowed_classes', 'serializer'];
        if ($this->scheme !== 'local') {
            $names[] = 'owner_uid';
        }
        foreach ($names as $name) {
            $value = self::setting($name);
            // An empty list would be taken for "none", and a setting that is empty says nothing.
            if ($value === '') {
                continue;
            }
            try {
                $this->apply($name, $value);
            } catch (InvalidArgumentException $e) {
                throw new InvalidArgumentException("setting coppice.$name: " . $e->getMessage());
            }
        }
        $size = self::setting('max_memory');
        if ($this->scheme !== 'local' || $size === '') {
            return;
        }
        $bytes = self::parseSize($size);
        if ($bytes === null || $bytes < self::SMALLEST_MAX_MEMORY) {
            throw new InvalidArgumentException("setting coppice.max_memory can't be \"$size\"; sizes are written as 256M, and 2M is the least");
        }
        $this->defaultMaxMemory = $bytes;
    }

    private static function optionText(string $name, mixed $value): string
    {
        return match (true) {
            $value === false => '0',
            $value === true => '1',
            is_int($value), is_string($value) => (string) $value,
            is_float($value) => self::floatText($value),
            default => throw new InvalidArgumentException("option $name must be a string, number or bool, not " . self::typeName($value)),
        };
    }

    private static function floatText(float $value): string
    {
        $text = strtolower(json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR) ?: '0');
        return is_finite($value) ? str_replace('.0e', 'e', $text) : (is_nan($value) ? 'nan' : ($value > 0 ? 'inf' : '-inf'));
    }

    /** @param array<mixed> $names */
    private static function classListText(array $names): string
    {
        $list = [];
        foreach ($names as $name) {
            if (!is_string($name)) {
                throw new InvalidArgumentException('option allowed_classes must list class names');
            }
            $list[] = $name;
        }
        return implode(',', $list);
    }

    /** As the extension names types in messages. */
    public static function typeName(mixed $value): string
    {
        return is_resource($value) || str_starts_with(get_debug_type($value), 'resource') ? 'resource' : get_debug_type($value);
    }

    private static function quoted(string $text): string
    {
        return '"' . substr($text, 0, 200) . '"';
    }

    /** Null: a percent sign without two hexadecimal digits behind it. */
    private static function percentDecode(string $text): ?string
    {
        return preg_match('/%(?![0-9a-fA-F]{2})/', $text) === 1 ? null : rawurldecode($text);
    }

    /** @throws InvalidArgumentException */
    private function applyDsn(string $dsn): void
    {
        [$place, $query] = explode('?', $dsn, 2) + [1 => ''];
        if (str_starts_with($place, 'local:')) {
            $this->scheme = 'local';
            $this->name = self::percentDecode(substr($place, 6))
                ?? throw new InvalidArgumentException('the name of the local store is not percent-encoded properly');
        } elseif (str_starts_with($place, 'unix://')) {
            $this->scheme = 'unix';
            $this->applyUnix(substr($place, 7));
        } elseif (str_starts_with($place, 'redis://')) {
            $this->scheme = 'redis';
            $this->applyRedis(substr($place, 8));
        } else {
            $colon = strpos($place, ':');
            throw new InvalidArgumentException($colon === false
                ? 'the DSN has no scheme; local:, unix: and auto: are known'
                : 'unknown scheme ' . self::quoted(substr($place, 0, $colon + 1)) . ' of the DSN; local:, unix: and auto: are known');
        }
        foreach (explode('&', $query) as $pair) {
            if ($pair === '') {
                continue;
            }
            $parts = explode('=', $pair, 2);
            if (count($parts) === 1) {
                throw new InvalidArgumentException('option ' . self::quoted($pair) . ' of the DSN has no value');
            }
            $name = self::percentDecode($parts[0]);
            $value = self::percentDecode($parts[1]);
            if ($name === null || $value === null) {
                throw new InvalidArgumentException('option ' . self::quoted($parts[0]) . ' of the DSN is not percent-encoded properly');
            }
            $this->apply($name, $value);
        }
    }

    private function applyUnix(string $rest): void
    {
        $slash = strpos($rest, '/');
        if ($slash === false) {
            throw new InvalidArgumentException('a unix: DSN needs an absolute path: unix:///run/coppice.sock');
        }
        $authority = substr($rest, 0, $slash);
        if ($authority !== '') {
            if (!str_ends_with($authority, '@')) {
                throw new InvalidArgumentException('a unix: DSN has no host: unix://user:password@/run/coppice.sock');
            }
            $this->applyUser(substr($authority, 0, -1));
        }
        $path = self::percentDecode(substr($rest, $slash)) ?? throw new InvalidArgumentException('the path of the DSN is not percent-encoded properly');
        if (strlen($path) > 107) {
            throw new InvalidArgumentException("the socket's path " . self::quoted($path) . ' is longer than 107 bytes');
        }
        if (str_contains($path, "\0")) {
            throw new InvalidArgumentException("the socket's path contains a NUL byte");
        }
        $this->address = $path;
    }

    private function applyRedis(string $rest): void
    {
        [$authority, $path] = explode('/', $rest, 2) + [1 => ''];
        $at = strrpos($authority, '@');
        if ($at !== false) {
            $this->applyUser(substr($authority, 0, $at));
            $authority = substr($authority, $at + 1);
        }
        if (preg_match('/^(\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?\z/', $authority, $m) !== 1 || (int) ($m[2] ?? 1) < 1 || (int) ($m[2] ?? 1) > 65535) {
            throw new InvalidArgumentException('a redis: DSN needs a host: redis://user:password@host:6379/0');
        }
        $this->address = $m[1] . ':' . ($m[2] ?? '6379');
        if ($path !== '') {
            $this->apply('db', $path);
        }
    }

    private function applyUser(string $text): void
    {
        [$user, $password] = explode(':', $text, 2) + [1 => ''];
        $decoded = [self::percentDecode($user), self::percentDecode($password)];
        if ($decoded[0] === null || $decoded[1] === null) {
            throw new InvalidArgumentException('the user and password of the DSN are not percent-encoded properly');
        }
        [$this->user, $this->password] = $decoded;
    }

    /** @throws InvalidArgumentException */
    private function apply(string $name, string $value): void
    {
        $good = $this->applyCommon($name, $value) ?? ($this->scheme === 'local' ? $this->applyLocal($name, $value) : $this->applyOwner($name, $value));
        if ($good === null) {
            throw new InvalidArgumentException('unknown option ' . self::quoted($name) . " for $this->scheme:");
        }
        if ($good) {
            return;
        }
        if ($name === 'prefix') {
            throw new InvalidArgumentException('the prefix is longer than 4095 bytes');
        }
        $possible = isset(self::POSSIBLE[$name]) ? ': ' . self::POSSIBLE[$name] : '';
        throw new InvalidArgumentException("option $name can't be " . self::quoted($value) . $possible);
    }

    /** Null: no option that both have. False: not with this value. */
    private function applyCommon(string $name, string $value): ?bool
    {
        switch ($name) {
            case 'prefix':
                $this->prefix = $value;
                return strlen($value) < self::LONGEST_KEY;
            case 'on_error':
                $this->throws = $value === 'throw';
                return $value === 'throw' || $value === 'warn';
            case 'serializer':
                $this->igbinary = $value === 'igbinary';
                return $value === 'igbinary' || $value === 'php';
            case 'allowed_classes':
                return $this->applyClasses($value);
        }
        return null;
    }

    private function applyClasses(string $value): bool
    {
        $all = self::parseBool($value);
        if ($all !== null) {
            $this->allowedClasses = $all ? null : [];
            return true;
        }
        $this->allowedClasses = [];
        // A comma at the end is no further name.
        foreach (explode(',', str_ends_with($value, ',') ? substr($value, 0, -1) : $value) as $name) {
            $name = rtrim(ltrim($name, ' \\'), ' ');
            if ($name === '') {
                return false;
            }
            $this->allowedClasses[] = strtolower($name);
        }
        return true;
    }

    private function applyLocal(string $name, string $value): ?bool
    {
        switch ($name) {
            case 'max_memory':
                $size = self::parseSize($value);
                if ($size === null || $size < self::SMALLEST_MAX_MEMORY) {
                    return false;
                }
                $this->maxMemory = $size;
                return true;
            case 'max_value':
                $size = self::parseSize($value);
                if ($size === null || $size === 0 || $size > self::LARGEST_MAX_VALUE) {
                    return false;
                }
                $this->maxValue = $size;
                return true;
            case 'policy':
                $this->policy = $value;
                return in_array($value, self::POLICIES, true);
        }
        return null;
    }

    private function applyOwner(string $name, string $value): ?bool
    {
        switch ($name) {
            case 'db':
                $number = self::parseInteger($value);
                if ($number === null || $number < 0 || $number >= self::DATABASES) {
                    return false;
                }
                $this->database = $number;
                return true;
            case 'timeout':
                if (preg_match('/^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\z/', $value) !== 1) {
                    return false;
                }
                $seconds = (float) $value;
                if ($seconds <= 0 || $seconds > 3600) {
                    return false;
                }
                $this->timeoutMs = (int) ceil($seconds * 1000);
                return true;
            case 'prefault':
                // Nothing is mapped here; the value is checked, so that one DSN serves both.
                return self::parseBool($value) !== null;
            case 'owner_uid':
                $number = self::parseInteger($value);
                if ($number === null || $number < 0 || $number > 0xffffffff) {
                    return false;
                }
                $this->ownerUid = $number;
                return true;
            case 'user':
                $this->user = $value;
                return true;
            case 'password':
                $this->password = $value;
                return true;
        }
        return null;
    }

    /** A decimal as PHP takes it: a float where it is too large for an int. */
    public static function number(string $digits): int|float
    {
        return is_numeric($digits) ? $digits + 0 : NAN;
    }

    private static function parseSize(string $text): ?int
    {
        if (preg_match('/^([0-9]+)([kKmMgG]?)\z/', $text, $m) !== 1) {
            return null;
        }
        $bytes = self::number($m[1]) * (1 << ['' => 0, 'k' => 10, 'm' => 20, 'g' => 30][strtolower($m[2])]);
        return is_int($bytes) ? $bytes : null;
    }

    private static function parseBool(string $text): ?bool
    {
        return match (strtolower($text)) {
            '1', 'on', 'yes', 'true' => true,
            '', '0', 'off', 'no', 'false' => false,
            default => null,
        };
    }

    private static function parseInteger(string $text): ?int
    {
        if (preg_match('/^-?[0-9]+\z/', $text) !== 1) {
            return null;
        }
        $n = self::number($text);
        return is_int($n) ? $n : null;
    }
}
