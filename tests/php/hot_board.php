<?php
// What the processes of hot_test.py share, beside the cache that they test: words of 8 bytes, each written by one process.
final class Board
{
    public const KEYS = 16;
    public const WORKERS = 8;
    public const WORDS = 1 + self::KEYS * 4 + self::WORKERS * 3;
    private Shmop $memory;

    public function __construct(int $key, bool $create = false)
    {
        $this->memory = shmop_open($key, $create ? 'n' : 'w', 0600, self::WORDS * 8) ?: throw new Exception("no shared memory $key");
    }

    /** Where a key's words begin: the number of the last write begun, of the last acknowledged, when that expires (ns). */
    public static function key(int $k): int
    {
        return 1 + $k * 4;
    }

    /** The words of a worker: reads, hits, faults. */
    public static function worker(int $number, int $which): int
    {
        return 1 + self::KEYS * 4 + $number * 3 + $which;
    }

    public function get(int $word): int
    {
        return unpack('P', shmop_read($this->memory, $word * 8, 8))[1];
    }

    public function set(int $word, int $value): void
    {
        shmop_write($this->memory, pack('P', $value), $word * 8);
    }

    public function add(int $word, int $more): int
    {
        $this->set($word, $new = $this->get($word) + $more);
        return $new;
    }

    public function delete(): void
    {
        shmop_delete($this->memory);
    }

    /** What write number $n of a key is. */
    public static function kind(int $n): string
    {
        return match ($n % 8) {
            0 => 'nothing yet',
            1, 2, 4 => 'set',
            3 => 'delete',
            5 => 'prefix',
            6 => 'several',
            7 => 'expire',
        };
    }

    public static function removes(int $n): bool
    {
        return in_array(self::kind($n), ['delete', 'prefix', 'nothing yet'], true);
    }

    public static function may_be_gone(int $n): bool
    {
        return self::removes($n) || self::kind($n) === 'expire';
    }

    /** The value of write number $n. */
    public static function value(int $k, int $n): array
    {
        static $last = [];
        if (($last[$k]['n'] ?? null) !== $n) {
            $rows = [];
            for ($i = 0; $i < 40; $i++) {
                $rows[] = ['id' => $i, 'n' => $n, 'name' => "row $i of $n of $k", 'tags' => ["tag $n", 'common']];
            }
            $last[$k] = ['n' => $n, 'key' => $k, 'rows' => $rows];
        }
        return $last[$k];
    }
}
