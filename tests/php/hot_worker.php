<?php
// A reader of hot_test.py: reads keys as fast as it can until it is told to stop, and looks whether what it gets may be
// what the key holds. In php-cgi, where the script is run again and again, one run is a request of a few hundred reads.
//   php hot_worker.php <board> <number of this worker> <file for faults>
// The board is a System V shared memory segment of 8-byte words: [0] stop; then for each key four words (see hot_writer.php);
// then for each worker reads, hits of the table, faults.
[, $board, $me, $file] = isset($argv) && count($argv) > 3 ? $argv : [null, getenv('HOT_BOARD'), getenv('HOT_WORKER'), getenv('HOT_FAULTS')];
require_once __DIR__ . '/hot_board.php';
$board = new Board((int) $board);
$cache = Coppice\Cache::open();
$me = (int) $me;
$before = $cache->stats();
$reads = 0;
$fault = function (string $what) use ($board, $me, $file) {
    if ($board->add(Board::worker($me, 2), 1) < 20) {
        file_put_contents($file, "worker $me (" . PHP_SAPI . "): $what\n", FILE_APPEND);
    }
};
$limit = PHP_SAPI === 'cli' ? PHP_INT_MAX : 400;
while ($reads < $limit && $board->get(0) === 0) {
    $k = $reads % Board::KEYS;
    $key = "hot.$k.rows";
    $at = Board::key($k);
    $acknowledged = $board->get($at + 1);
    $expires = $board->get($at + 2);
    $sure = $board->get($at + 1) === $acknowledged;
    $before_read = hrtime(true);
    $value = match ($reads % 5) {
        0 => $cache->getMultiple([$key])[$key],
        1 => $cache->find($key)?->value,
        default => $cache->get($key),
    };
    $started = $board->get($at);
    if (++$reads % 200 === 0) {
        $board->add(Board::worker($me, 0), 200);
    }
    if ($value === null) {
        $may_be_gone = false;
        for ($n = $acknowledged; $n <= $started; $n++) {
            $may_be_gone = $may_be_gone || Board::may_be_gone($n);
        }
        if (!$may_be_gone) {
            $fault("$key is missing; acknowledged $acknowledged, started $started");
        }
        continue;
    }
    $n = $value['n'] ?? -1;
    if ($value !== Board::value($k, $n)) {
        $fault("$key is broken: " . substr(json_encode($value), 0, 300));
    } elseif ($n < $acknowledged || $n > $started) {
        $fault("$key is $n; acknowledged $acknowledged, started $started");
    } elseif (Board::removes($n)) {
        $fault("$key is $n, which was a removal");
    } elseif ($sure && $n === $acknowledged && $expires > 0 && $before_read > $expires) {
        $fault("$key is $n, which expired " . ($before_read - $expires) / 1e6 . ' ms before the read');
    }
    // What a script may do to it.
    $value['rows'][1]['n'] = -1;
}
$after = $cache->stats();
$board->add(Board::worker($me, 0), $reads % 200);
$board->add(Board::worker($me, 1), $after['decoded_hits'] - $before['decoded_hits']);
