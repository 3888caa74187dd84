<?php
// The writer of hot_test.py: overwrites, deletes, deletes by prefix and lets expire, for some seconds, then stops the
// readers and answers JSON.
//   php hot_writer.php <board> <seconds> <seed>
// Goes on beyond its time until each kind of write was made and each reader has read enough to tell something, however busy the
// machine is.
require __DIR__ . '/hot_board.php';
$board = new Board((int) $argv[1]);
$until = hrtime(true) + (int) ((float) $argv[2] * 1e9);
$cache = Coppice\Cache::open();
$writes = [];
mt_srand((int) $argv[3]);
$enough = function () use ($board, &$writes): bool {
    for ($worker = 0; $worker < 4; $worker++) {
        if ($board->get(Board::worker($worker, 0)) < 2000) {
            return false;
        }
    }
    return count($writes) === 5 && array_sum($writes) >= 300;
};
while (hrtime(true) < $until || (!$enough() && hrtime(true) < $until + 120e9)) {
    $k = mt_rand(0, Board::KEYS - 1);
    $key = "hot.$k.rows";
    $at = Board::key($k);
    $n = $board->get($at) + 1;
    if ($n % 8 === 0) {
        $n++;
    }
    $value = Board::value($k, $n);
    $kind = Board::kind($n);
    $board->set($at, $n);
    $done = match ($kind) {
        'set' => $cache->set($key, $value),
        'delete' => $cache->delete($key),
        'prefix' => $cache->deletePrefix("hot.$k.") >= 0,
        'several' => $cache->setMultiple([$key => $value, "hot.$k.other" => $n]),
        'expire' => $cache->set($key, $value, 0.02),
    };
    // The owner's clock began before the acknowledgement.
    $board->set($at + 2, $kind === 'expire' ? hrtime(true) + 21_000_000 : 0);
    $board->set($at + 1, $n);
    if ($done !== true) {
        echo json_encode(['error' => "write $n of $key ($kind) failed"]);
        break;
    }
    $writes[$kind] = ($writes[$kind] ?? 0) + 1;
    usleep(mt_rand(0, 4) === 0 ? mt_rand(0, 3000) : 50);
}
$board->set(0, 1);
echo json_encode(['writes' => $writes]);
