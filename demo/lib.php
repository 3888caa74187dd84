<?php
// What the demo's processes share: the package index that stands in for a database, and the board on which the
// generations of its sections are announced.
declare(strict_types=1);

namespace Demo;

/** The groups of fields that become the entries of one package: pkg.<section>.<name>.<group>. */
const GROUPS = ['summary', 'control', 'relations', 'file'];

const RELATIONS = ['Depends', 'Pre-Depends', 'Recommends', 'Suggests', 'Enhances', 'Breaks', 'Conflicts', 'Replaces', 'Provides'];
const FILE = ['Filename', 'Size', 'MD5sum', 'SHA256', 'Installed-Size'];

/**
 * The output of `apt-cache dumpavail` with an index of its records: the demo's database.
 *
 * A process holds only the index (a name and an offset for each record) and reads a record from the file when asked.
 */
final class PackageIndex
{
    /** @var list<string> "<section>.<name>" of each record */
    public array $names = [];
    /** @var list<int> number of the section of each record */
    public array $sectionOf = [];
    /** @var list<string> */
    public array $sections = [];
    /** @var list<int> byte offset of each record in the file */
    private array $offsets = [];
    /** @var resource */
    private $file;

    private function __construct(private string $path)
    {
        $this->file = fopen($path, 'rb') ?: throw new \RuntimeException("cannot open $path");
    }

    /** Reads the whole file once. At most $limit records, 0 for all. */
    public static function parse(string $path, int $limit = 0): self
    {
        $index = new self($path);
        $numbers = $seen = [];
        $offset = 0;
        $start = null;
        $name = $section = '';
        while (($line = fgets($index->file)) !== false) {
            if (str_starts_with($line, 'Package: ')) {
                [$start, $name, $section] = [$offset, rtrim(substr($line, 9)), 'unknown'];
            } elseif (str_starts_with($line, 'Section: ')) {
                $section = rtrim(substr($line, 9));
            } elseif ($line === "\n" && $start !== null) {
                $full = "$section.$name";
                if (!isset($seen[$full])) {
                    $seen[$full] = true;
                    $index->names[] = $full;
                    $index->offsets[] = $start;
                    $index->sectionOf[] = $numbers[$section] ??= count($numbers);
                    if (count($index->names) === $limit) {
                        break;
                    }
                }
                $start = null;
            }
            $offset += strlen($line);
        }
        $index->sections = array_map('strval', array_keys($numbers));
        return $index;
    }

    /** For the workers: the index without a second parse of the file. */
    public function save(string $path): void
    {
        file_put_contents($path, serialize([$this->path, $this->names, $this->sectionOf, $this->sections, $this->offsets]));
    }

    public static function load(string $path): self
    {
        $saved = unserialize((string) file_get_contents($path), ['allowed_classes' => false]);
        $index = new self($saved[0]);
        [, $index->names, $index->sectionOf, $index->sections, $index->offsets] = $saved;
        return $index;
    }

    /** @return array<string,string> the fields of record $number */
    public function fields(int $number): array
    {
        fseek($this->file, $this->offsets[$number]);
        $fields = [];
        $last = '';
        while (($line = fgets($this->file)) !== false && $line !== "\n") {
            if ($line[0] === ' ') {
                $fields[$last] .= "\n" . trim($line);
            } else {
                [$last, $value] = explode(':', $line, 2);
                $fields[$last] = trim($value);
            }
        }
        return $fields;
    }

    /**
     * One entry of record $number as it is stored. It tells the generation with which it was made and the record it
     * belongs to, so that whoever reads it can check both.
     */
    public function value(int $number, string $group, int $generation): mixed
    {
        $fields = $this->fields($number);
        return match ($group) {
            'summary' => "$generation $number {$fields['Package']} {$fields['Version']}: " . ($fields['Description'] ?? ''),
            'control' => [$generation, $number, array_diff_key($fields, array_flip([...RELATIONS, ...FILE, 'Description']))],
            'relations' => [$generation, $number, array_map(fn ($list) => explode(', ', $list), array_intersect_key($fields, array_flip(RELATIONS)))],
            'file' => [$generation, $number, array_map(fn ($text) => ctype_digit($text) ? (int) $text : $text, array_intersect_key($fields, array_flip(FILE)))],
        };
    }

    /** All entries of record $number. @return array<string,mixed> key => value */
    public function entries(int $number, int $generation): array
    {
        $entries = [];
        foreach (GROUPS as $group) {
            $entries["pkg.{$this->names[$number]}.$group"] = $this->value($number, $group, $generation);
        }
        return $entries;
    }
}

/**
 * Numbers in System V shared memory that all processes of the demo see: the phase of the run, and two generations for
 * each section.
 *
 *  - stored:    what the database holds now
 *  - published: what has been announced: whoever read this number before a read of the cache must not get an older entry
 */
final class Board
{
    public const WAIT = 0;
    public const RUN = 1;
    public const STOP = 2;

    private function __construct(private \Shmop $memory, private int $sections)
    {
    }

    /** Processes that are to see it attach by the key. remove() may be called as soon as they have. */
    public static function create(int $sections, ?int &$key): self
    {
        do {
            $key = random_int(1, 0x7fffffff);
            $memory = @shmop_open($key, 'n', 0600, 8 * (1 + 2 * $sections));
        } while ($memory === false);
        return new self($memory, $sections);
    }

    public static function attach(int $key, int $sections): self
    {
        return new self(shmop_open($key, 'w', 0, 0) ?: throw new \RuntimeException("cannot attach board $key"), $sections);
    }

    public function remove(): void
    {
        shmop_delete($this->memory);
    }

    public function phase(): int
    {
        return $this->read(0);
    }

    public function setPhase(int $phase): void
    {
        $this->write(0, $phase);
    }

    public function stored(int $section): int
    {
        return $this->read(1 + $section);
    }

    public function setStored(int $section, int $generation): void
    {
        $this->write(1 + $section, $generation);
    }

    public function published(int $section): int
    {
        return $this->read(1 + $this->sections + $section);
    }

    public function setPublished(int $section, int $generation): void
    {
        $this->write(1 + $this->sections + $section, $generation);
    }

    // Eight aligned bytes are copied by one instruction: no reader sees half a number.
    private function read(int $slot): int
    {
        return unpack('q', shmop_read($this->memory, 8 * $slot, 8))[1];
    }

    private function write(int $slot, int $number): void
    {
        shmop_write($this->memory, pack('q', $number), 8 * $slot);
    }
}

/**
 * A lock for each section, as a database's row lock: a fill holds it shared while it reads the record and stores it, an
 * invalidation exclusively while it changes the section and removes it from the cache. Without it a worker could read
 * the old record, be delayed, and store it after the invalidation: stale by the application's fault, in any cache.
 * Reads of the cache take no lock.
 */
final class SectionLock
{
    /** @var array<int,resource> */
    private array $files = [];

    public function __construct(private string $directory)
    {
    }

    public function shared(int $section): void
    {
        flock($this->file($section), LOCK_SH);
    }

    public function exclusive(int $section): void
    {
        flock($this->file($section), LOCK_EX);
    }

    public function release(int $section): void
    {
        flock($this->file($section), LOCK_UN);
    }

    /** @return resource */
    private function file(int $section)
    {
        return $this->files[$section] ??= fopen("{$this->directory}/section-$section.lock", 'c') ?: throw new \RuntimeException('cannot open a lock');
    }
}

/** @param array<string,mixed> $report one line of JSON to the process that started this one */
function report(array $report): void
{
    fwrite(STDOUT, json_encode($report) . "\n");
}

/** @param list<float> $numbers */
function median(array $numbers): float
{
    sort($numbers);
    return $numbers ? $numbers[intdiv(count($numbers), 2)] : NAN;
}

/** @return array{int,int,int} anonymous, shared-memory and file-backed resident bytes of a process */
function memory_of(int|string $pid): array
{
    $status = (string) @file_get_contents("/proc/$pid/status");
    $bytes = fn (string $name) => preg_match("/^$name:\s+(\d+) kB/m", $status, $found) ? 1024 * (int) $found[1] : 0;
    return [$bytes('RssAnon'), $bytes('RssShmem'), $bytes('RssFile')];
}
