<?php
// What bench/php/locks runs.
//   php locks.php PEERS ARM alone CALLS SOCKET
//   php locks.php PEERS ARM contended PROCESSES SECONDS PAUSE SOCKET
// ARM: coppice · redis (Laravel's commands) · redis-tight (the same, an attempt every millisecond) · laravel
declare(strict_types=1);

interface Arm
{
    /** A new lock object, as an application makes one each time, taken if it is free at once. */
    public function take(string $name): ?object;
    /** The same, waiting. */
    public function wait(string $name): object;
    public function release(object $lock): bool;
}

final class CoppiceArm implements Arm
{
    private Coppice\Cache $cache;

    public function __construct(string $socket)
    {
        $this->cache = Coppice\Cache::open("unix://$socket");
    }
    public function take(string $name): ?object
    {
        $lock = $this->cache->lock($name, 10);
        return $lock->acquire() ? $lock : null;
    }
    public function wait(string $name): object
    {
        $lock = $this->cache->lock($name, 10);
        return $lock->acquire(60) ? $lock : throw new RuntimeException('not granted');
    }
    public function release(object $lock): bool
    {
        return $lock->release();
    }
}

/** The commands of Laravel's lock, without its classes. */
final class RedisArm implements Arm
{
    private const RELEASE = 'if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end';
    private Redis $redis;

    public function __construct(string $socket, private int $sleep)
    {
        $this->redis = new Redis();
        $this->redis->pconnect($socket);
    }
    public function take(string $name): ?object
    {
        $lock = (object) ['name' => $name, 'owner' => bin2hex(random_bytes(8))];
        return $this->redis->set($name, $lock->owner, ['nx', 'ex' => 10]) ? $lock : null;
    }
    public function wait(string $name): object
    {
        while (($lock = $this->take($name)) === null) {
            usleep($this->sleep);
        }
        return $lock;
    }
    public function release(object $lock): bool
    {
        return (bool) $this->redis->eval(self::RELEASE, [$lock->name, $lock->owner], 1);
    }
}

final class LaravelArm implements Arm
{
    private object $connection;

    public function __construct(string $socket)
    {
        $this->connection = (new Illuminate\Redis\Connectors\PhpRedisConnector())->connect(['scheme' => 'unix', 'path' => $socket, 'host' => $socket, 'port' => 0, 'persistent' => true], []);
    }
    public function take(string $name): ?object
    {
        $lock = new Illuminate\Cache\PhpRedisLock($this->connection, $name, 10);
        return $lock->acquire() ? $lock : null;
    }
    public function wait(string $name): object
    {
        $lock = new Illuminate\Cache\PhpRedisLock($this->connection, $name, 10);
        $lock->block(60);
        return $lock;
    }
    public function release(object $lock): bool
    {
        return $lock->release();
    }
}

function arm(string $name, string $socket): Arm
{
    return match ($name) {
        'coppice' => new CoppiceArm($socket),
        'redis' => new RedisArm($socket, 250_000),
        'redis-tight' => new RedisArm($socket, 1000),
        'laravel' => new LaravelArm($socket),
    };
}

function alone(string $name, string $socket, int $calls): void
{
    $arm = arm($name, $socket);
    $times = [];
    for ($i = 0; $i < $calls; $i++) {
        $start = hrtime(true);
        $lock = $arm->take('the lock');
        $good = $lock !== null && $arm->release($lock);
        $times[] = hrtime(true) - $start;
        $good || throw new RuntimeException('the lock was not to be had, or could not be released');
    }
    $times = array_slice($times, intdiv($calls, 10));
    sort($times);
    echo json_encode(['what' => 'alone', 'arm' => $name, 'p50_us' => $times[intdiv(count($times), 2)] / 1e3, 'p99_us' => $times[intdiv(count($times) * 99, 100)] / 1e3,
        'least_us' => $times[0] / 1e3, 'mean_us' => array_sum($times) / count($times) / 1e3]), "\n";
}

/**
 * Shared words: 0 begins it; 1 is the number of grants, counted by who holds the lock; from 8 on, for each process, its
 * longest wait (ns) and whether it is ready; behind these who held the lock, grant by grant.
 */
function contended(string $name, string $socket, int $processes, float $seconds, int $pause): void
{
    $log = 8 + 2 * $processes;
    $most = 400_000;
    $shared = shmop_open(random_int(1, 1 << 30), 'n', 0600, 8 * ($log + $most));
    $put = fn (int $word, int $value) => shmop_write($shared, pack('P', $value), $word * 8);
    $get = fn (int $word) => unpack('P', shmop_read($shared, $word * 8, 8))[1];
    $children = [];
    for ($p = 0; $p < $processes; $p++) {
        $children[$p] = pcntl_fork();
        if ($children[$p] !== 0) {
            continue;
        }
        $arm = arm($name, $socket);
        $own = $arm->take("own $p");
        $arm->release($own);
        $put(9 + 2 * $p, 1);
        while ($get(0) === 0) {
            usleep(500);
        }
        $end = $get(0) + (int) ($seconds * 1e9);
        $longest = 0;
        while (($start = hrtime(true)) < $end) {
            $lock = $arm->wait('the lock');
            $longest = max($longest, hrtime(true) - $start);
            $n = $get(1);
            if ($n < $most) {
                $put($log + $n, $p);
            }
            usleep(200);
            $get(1) === $n || fwrite(STDERR, "$name: two processes were in at once\n");
            $put(1, $n + 1);
            $arm->release($lock);
            $put(8 + 2 * $p, $longest);
            if ($pause > 0) {
                usleep($pause);
            }
        }
        posix_kill(getmypid(), SIGKILL);
    }
    for ($p = 0; $p < $processes; $p++) {
        while ($get(9 + 2 * $p) === 0) {
            usleep(1000);
        }
    }
    $began = hrtime(true);
    $put(0, $began);
    usleep((int) ($seconds * 1e6));
    $grants = $get(1);
    foreach ($children as $child) {
        pcntl_waitpid($child, $status);
    }
    $counts = $since = array_fill(0, $processes, 0);
    $spread = 0;
    for ($i = 0; $i < min($grants, $most); $i++) {
        $whose = $get($log + $i);
        // Counted from when each had its first: until then some may still be on their way.
        if (min($counts) > 0) {
            $since[$whose]++;
            $spread = max($spread, max($since) - min($since));
        }
        $counts[$whose]++;
    }
    if (min($counts) === 0) {
        $spread = max($counts);
    }
    $waits = array_map(fn ($p) => $get(8 + 2 * $p), range(0, $processes - 1));
    shmop_delete($shared);
    echo json_encode(['what' => 'contended', 'arm' => $name, 'processes' => $processes, 'pause_us' => $pause, 'grants_per_s' => $grants / $seconds,
        'most' => max($counts), 'fewest' => min($counts), 'spread' => $spread, 'longest_wait_ms' => max($waits) / 1e6]), "\n";
}

[, $peers, $name, $what] = $argv;
if (is_file("$peers/vendor/autoload.php")) {
    require "$peers/vendor/autoload.php";
}
$what === 'alone' ? alone($name, end($argv), (int) $argv[4]) : contended($name, end($argv), (int) $argv[4], (float) $argv[5], (int) $argv[6]);
