<?php
// php run.php w1|w2 <build> [option…]: see w1 and w2.
declare(strict_types=1);

namespace Bench;

$which = $argv[1];
define('Bench\BUILD', $argv[2]);
define('Bench\PEERS', BUILD . '/bench-peers');
require __DIR__ . '/driver.php';

$options = ['n' => $which === 'w1' ? '50000,200000,1000000' : '50000,1000000', 'kinds' => 'int,s64,s1k,s8k,arr', 'runs' => '5',
    'backends' => implode(',', array_keys(backends())), 'seconds' => '0.5', 'out' => BUILD . "/bench-results/$which.jsonl", 'parts' => 'single,many'];
$options = given_options($options, array_slice($argv, 3));
$sizes = array_map(fn ($n) => max(10, intdiv((int) $n, 10) * 10), explode(',', $options['n']));
$names = explode(',', $options['backends']);
if ($unknown = array_diff($names, array_keys(backends()))) {
    fwrite(STDERR, 'unknown back end ' . implode(', ', $unknown) . "\n");
    exit(2);
}
@mkdir(dirname($options['out']), 0777, true);
$out = fopen($options['out'], 'w') ?: exit(2);

$arms = $many = [];
foreach ($sizes as $n) {
    foreach ($which === 'w1' ? ['arr'] : explode(',', $options['kinds']) as $kind) {
        foreach ($names as $backend) {
            if ((new Load($n, $kind, null))->valueBytes() * $n > 2 << 30) {
                continue;  // would not fit beside its peers
            }
            $arms[] = [$backend, $n, $kind];
            if ($kind === 'int' && in_array($backend, ['array', 'apcu', 'yac', 'coppice-shared'], true)) {
                $many[] = [$backend, $n, $kind];
            }
        }
    }
}
if (str_contains($options['parts'], 'single')) {
    run_all($which, $which, $arms, (int) $options['runs'], (float) $options['seconds'], $out);
}
if ($which === 'w2' && str_contains($options['parts'], 'many')) {
    run_all('w2-many', 'many', $many, (int) $options['runs'], (float) $options['seconds'], $out);
}
fwrite(STDERR, "results in {$options['out']}\n");
