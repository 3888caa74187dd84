<?php
// The demo: an owner, four workers and an invalidator on the package index of this machine. See scripts/demo.
//   php run.php <build directory> <package index> <working directory> <seconds> <workers>
declare(strict_types=1);

namespace Demo;

use Coppice\Cache;

require __DIR__ . '/lib.php';

[, $build, $packages, $directory] = $argv;
$seconds = (int) $argv[4];
$workers = (int) $argv[5];

/** A process that reports lines of JSON on its standard output. */
final class Child
{
    /** @var array<string,mixed> the latest report */
    public array $report = [];
    private string $pending = '';

    /** @param resource $process @param resource $output */
    private function __construct(public string $name, private $process, private $output, public int $pid)
    {
        stream_set_blocking($output, false);
    }

    /** @param list<string> $command */
    public static function start(string $name, array $command, ?string $log = null): self
    {
        $process = proc_open($command, [1 => ['pipe', 'w'], 2 => $log ? ['file', $log, 'a'] : STDERR], $pipes);
        if (!$process) {
            throw new \RuntimeException("cannot start $name");
        }
        return new self($name, $process, $pipes[1], proc_get_status($process)['pid']);
    }

    public function poll(): void
    {
        $this->pending .= stream_get_contents($this->output);
        while (($end = strpos($this->pending, "\n")) !== false) {
            $line = substr($this->pending, 0, $end);
            $this->pending = substr($this->pending, $end + 1);
            $report = json_decode($line, true);
            if (is_array($report)) {
                $this->report = $report + $this->report;
            } else {
                fwrite(STDERR, "{$this->name}: $line\n");
            }
        }
    }

    /** What happened to it, or null while it runs. */
    public function end(): ?string
    {
        static $ends = [];
        if (isset($ends[$this->pid])) {
            return $ends[$this->pid];
        }
        $status = proc_get_status($this->process);
        if ($status['running']) {
            return null;
        }
        $this->poll();
        return $ends[$this->pid] = $status['signaled'] ? "killed by signal {$status['termsig']}" : "exit {$status['exitcode']}";
    }

    /** Waits for its end; kills it after $limit seconds. */
    public function wait(float $limit): string
    {
        $until = microtime(true) + $limit;
        while (($end = $this->end()) === null) {
            $this->poll();
            if (microtime(true) > $until) {
                $this->signal(9);
                return "did not end within $limit s";
            }
            usleep(5000);
        }
        return $end;
    }

    public function signal(int $signal): void
    {
        if ($this->end() === null) {
            proc_terminate($this->process, $signal);
        }
    }
}

$checks = [];
function check(string $claim, bool $holds, string $seen = ''): void
{
    global $checks;
    $checks[] = $holds;
    printf("  [%s] %s%s\n", $holds ? 'ok' : 'FAILED', $claim, $seen === '' ? '' : " ($seen)");
}

function say(string $line): void
{
    echo "==> $line\n";
}

function mb(float $bytes): string
{
    return sprintf('%.1f MB', $bytes / 1e6);
}

$children = [];
$board = null;
register_shutdown_function(function () use (&$children, &$board) {
    foreach ($children as $child) {
        $child->signal(9);
    }
    $board?->remove();
});

// ---- the database
$start = microtime(true);
$index = PackageIndex::parse($packages);
$index->save("$directory/index");
say(sprintf('package index: %s records in %d sections, read in %.1f s', number_format(count($index->names)), count($index->sections), microtime(true) - $start));

// ---- the owner
$socket = "$directory/coppice.sock";
$owner = $children[] = Child::start('coppiced', ["$build/owner-daemon/coppiced", '--socket', $socket, '--max-memory', '1G', '--log-level', 'warning'], "$directory/coppiced.log");
for ($tries = 0; !file_exists($socket) && $owner->end() === null && $tries < 1000; $tries++) {
    usleep(10_000);
}
if (!file_exists($socket)) {
    echo file_get_contents("$directory/coppiced.log");
    fwrite(STDERR, "error: coppiced did not start: " . ($owner->end() ?? 'no socket after 10 s') . "\n");
    exit(1);
}
say("owner: coppiced, pid {$owner->pid}, on a private unix socket");

// ---- filling
$dsn = "unix://$socket";
$cache = Cache::open($dsn);
$start = microtime(true);
$stored = 0;
$batch = [];
$refused = 0;
foreach ($index->names as $number => $name) {
    $batch += $index->entries($number, 1);
    if (count($batch) >= 400 || $number === count($index->names) - 1) {
        $refused += (int) !$cache->setMultiple($batch);
        $stored += count($batch);
        $batch = [];
    }
}
$took = microtime(true) - $start;
[$anonymous, $shared] = memory_of($owner->pid);
say(sprintf('filled: %s entries in %.1f s (%s a second, reading and parsing the records included); the owner holds %s private, %s shared',
    number_format($stored), $took, number_format($stored / $took), mb($anonymous), mb($shared)));

// ---- the workers
$board = Board::create(count($index->sections), $boardKey);
foreach ($index->sections as $section => $_) {
    $board->setStored($section, 1);
    $board->setPublished($section, 1);
}
$php = [PHP_BINARY, '-d', "extension=$build/php-ext/coppice.so"];
$pool = [];
for ($i = 1; $i <= $workers; $i++) {
    $pool[] = $children[] = Child::start("worker $i", [...$php, __DIR__ . '/worker.php', $dsn, "$directory/index", (string) $boardKey, $directory, (string) $i]);
}
$invalidator = $children[] = Child::start('invalidator', [...$php, __DIR__ . '/invalidator.php', $dsn, "$directory/index", (string) $boardKey, $directory, $socket]);
$ready = false;
for ($tries = 0; !$ready && $tries < 3000; $tries++) {
    usleep(10_000);
    $ready = true;
    foreach ([...$pool, $invalidator] as $child) {
        $child->poll();
        $ready = $ready && isset($child->report['ready']);
    }
}
$board->remove();  // attached by all: goes away with the last of them
if (!$ready) {
    fwrite(STDERR, "error: a worker did not start\n");
    exit(1);
}
say(sprintf('running: %d workers read at random, one process invalidates sections by deletePrefix and fills them again; %d s', $workers, $seconds));

// ---- the run
$sum = fn (string $what) => array_sum(array_map(fn (Child $child) => $child->report[$what] ?? 0, $pool));
$board->setPhase(Board::RUN);
$begin = $last = microtime(true);
$before = 0;
while (($now = microtime(true)) - $begin < $seconds) {
    foreach ([...$pool, $invalidator] as $child) {
        $child->poll();
        if ($child->end() !== null) {
            break 2;
        }
    }
    if ($now - $last >= 1) {
        $reads = $sum('reads');
        $i = $invalidator->report;
        printf("    %3d s  %9s reads/s  %5.1f %% hits  %3d sections invalidated (%s entries)  deletePrefix of a section %.2f ms, full scan %.0f ms  stale %d\n",
            $now - $begin, number_format(($reads - $before) / ($now - $last)), $reads ? 100 * $sum('hits') / $reads : 0, $i['rounds'] ?? 0,
            number_format($i['removed'] ?? 0), $i['section_ms'] ?? 0, $i['scan_ms'] ?? 0, $sum('stale'));
        [$before, $last] = [$reads, $now];
    }
    usleep(20_000);
}
$took = microtime(true) - $begin;
$ownerMemory = memory_of($owner->pid);
$board->setPhase(Board::STOP);
$ends = [];
foreach ([...$pool, $invalidator] as $child) {
    $ends[] = $child->wait(20);
    $child->poll();
}

// ---- the account
$entries = $cache->countPrefix();
$stats = $cache->stats();
echo "\n";
printf("  %-12s %14s %14s %12s %12s %8s\n", 'process', 'private memory', 'shared memory', 'reads', 'reads/s', 'hits');
printf("  %-12s %14s %14s\n", 'owner', mb($ownerMemory[0]), mb($ownerMemory[1]));
foreach ($pool as $child) {
    $r = $child->report;
    printf("  %-12s %14s %14s %12s %12s %6.1f %%\n", $child->name, mb($r['memory'][0] ?? 0), mb($r['memory'][1] ?? 0), number_format($r['reads'] ?? 0),
        number_format(($r['reads'] ?? 0) / $took), 100 * ($r['hits'] ?? 0) / max(1, $r['reads'] ?? 0));
}
$i = $invalidator->report + ['rounds' => 0, 'removed' => 0, 'refilled' => 0, 'left' => -1, 'miscounted' => -1, 'section_ms' => NAN, 'section_max_ms' => NAN, 'package_ms' => NAN, 'scan_ms' => NAN, 'scans' => 0];
echo "\n  Shared memory is the one copy that the owner holds, as far as a process has touched it. Private memory of a worker is PHP\n",
    "  and the demo's own list of names and offsets. Reads include drawing a key, the two checks, and filling what was missed.\n\n";
printf("  entries                    %s\n", number_format($entries));
printf("  memory counted by owner    %s of %s\n", mb($stats['used_memory'] ?? 0), mb($stats['max_memory'] ?? 0));
printf("  sections invalidated       %s, %s entries removed, %s filled again by the invalidator, %s by workers\n", number_format($i['rounds']), number_format($i['removed']), number_format($i['refilled']), number_format($sum('fills')));
printf("  deletePrefix, a section    %.2f ms at the median (%s entries on average), %.1f ms at most\n", $i['section_ms'], number_format($i['removed'] / max(1, $i['rounds'])), $i['section_max_ms']);
printf("  deletePrefix, a package    %.3f ms at the median (%d entries)\n", $i['package_ms'], count(GROUPS));
printf("  full scan for a section    %.0f ms at the median of %d (SCAN over all keys, 1,000 at a time; removing what it finds not included)\n\n", $i['scan_ms'], $i['scans']);

check('the fill was accepted whole', $refused === 0);
check('all processes ended by themselves', array_unique($ends) === ['exit 0'], implode(', ', array_unique($ends)));
check('every worker read', count(array_filter($pool, fn (Child $child) => ($child->report['hits'] ?? 0) > 0)) === $workers);
check('workers read from shared memory', count(array_filter($pool, fn (Child $child) => ($child->report['shared'] ?? false) && ($child->report['memory'][1] ?? 0) > 0)) === $workers);
check('sections were invalidated under load', $i['rounds'] > 0 && $i['removed'] > 0);
check('no hit was older than the generation published before its read', $sum('hits') > 0 && $sum('stale') === 0, number_format($sum('hits')) . ' checked, ' . $sum('stale') . ' stale');
check('no hit held another record', $sum('wrong') === 0, number_format($sum('hits')) . ' checked, ' . $sum('wrong') . ' wrong');
check('deletePrefix removed exactly what countPrefix had counted, each time', $i['miscounted'] === 0, number_format($i['rounds']) . ' times');
check('nothing of a section was left when deletePrefix returned', $i['left'] === 0);
foreach ($pool as $child) {
    if (isset($child->report['example'])) {
        echo "       {$child->name}: {$child->report['example']}\n";
    }
}

// ---- the same keys through redis-cli
function redis_cli(string $socket, string ...$arguments): string
{
    $process = proc_open(['redis-cli', '-s', $socket, ...$arguments], [1 => ['pipe', 'w']], $pipes);
    $output = (string) stream_get_contents($pipes[1]);
    proc_close($process);
    return rtrim($output, "\n");
}
echo "\n";
say('the same cache through redis-cli');
$number = array_search('utils.coreutils', $index->names, true);
$name = $index->names[$number === false ? 0 : $number];
$section = $index->sections[$index->sectionOf[$number === false ? 0 : $number]];
$cache->setMultiple($index->entries($number === false ? 0 : $number, 1_000_000));
$shown = [];
foreach ([['GET', "pkg.$name.summary"], ['SCANPREFIX', "pkg.$name."], ['COUNTPREFIX', "pkg.$section."], ['COUNTPREFIX', 'pkg.'], ['DBSIZE']] as $command) {
    $shown[] = $output = redis_cli($socket, ...$command);
    echo "  \$ redis-cli -s … ", implode(' ', $command), "\n    ", str_replace("\n", "\n    ", $output), "\n";
}
[$get, $list, $inSection, $inAll, $size] = $shown;
check('GET reads what the extension stored', $get === $cache->get("pkg.$name.summary"));
check('SCANPREFIX lists the keys of the extension in order', explode("\n", $list) === $cache->keys("pkg.$name."));
check('COUNTPREFIX and DBSIZE agree with countPrefix', (int) $inSection === $cache->countPrefix("pkg.$section.") && (int) $inAll === $cache->countPrefix('pkg.') && (int) $size === $cache->countPrefix());
$ordinary = redis_cli($socket, 'SET', 'from.redis-cli', 'a string');
check('what redis-cli sets, the extension reads at once', $ordinary === 'OK' && $cache->get('from.redis-cli') === 'a string');

$owner->signal(15);
$end = $owner->wait(20);
check('the owner ends on SIGTERM and takes its socket away', $end === 'exit 0' && !file_exists($socket), $end);

$failed = count(array_filter($checks, fn ($holds) => !$holds));
printf("\n%d checks held, %d failed\n", count($checks) - $failed, $failed);
exit($failed ? 1 : 0);
