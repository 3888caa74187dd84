--TEST--
The array codec: changed, cut and random bytes never do harm
--INI--
coppice.decoded_memory=0
--SKIPIF--
<?php
require __DIR__ . '/skip_shared.inc';
?>
--FILE--
<?php
require __DIR__ . '/setup.inc';
$connection = stream_socket_client('unix://' . Owner::common()->socket);
$put = function (string $bytes) use ($connection) {
    fwrite($connection, "*4\r\n$4\r\nTSET\r\n$1\r\nk\r\n$1\r\n6\r\n$" . strlen($bytes) . "\r\n$bytes\r\n");
    fgets($connection);
};
$read = function () use ($connection) {
    fwrite($connection, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    $length = (int) substr(fgets($connection), 1);
    return stream_get_contents($connection, $length + 2) ? : '';
};
$c = cache();
$x = 1;
$values = [
    ['id' => 5, 'score' => 7], [1, [2, [3, ['a' => 'bc', 'd' => 'bc']]]], array_map(fn ($i) => ['id' => $i, 'name' => "n$i"], range(0, 9)),
    ['a' => &$x, 'b' => [&$x, &$x], 5 => 1.5, -7 => null], array_fill(0, 40, 'word'), array_combine(array_map(fn ($i) => "k$i", range(1, 70)), range(1, 70)),
];
$seed = random_int(0, 1 << 30);
mt_srand($seed);
echo '';
set_error_handler(fn () => true);
$decoded = 0;
foreach ($values as $value) {
    $c->set('k', $value);
    $connection2 = $read();
    $bytes = substr($connection2, 0, -2);
    for ($i = 0; $i < 1500; ++$i) {
        $changed = $bytes;
        for ($n = mt_rand(1, 3); $n > 0; --$n) {
            $changed[mt_rand(0, strlen($changed) - 1)] = chr(mt_rand(0, 255));
        }
        if (mt_rand(0, 3) === 0) {
            $changed = substr($changed, 0, mt_rand(0, strlen($changed)));
        }
        $put($changed);
        $got = $c->get('k', false);
        if ($got !== false) {
            ++$decoded;
            if (!is_array($got)) {
                echo "FAILED with seed $seed: not an array\n";
            }
            $copy = $got;
            $copy['new'] = 1;
            $copy[] = 2;
            serialize($copy);
        }
    }
}
same(true, $decoded > 100, "some are arrays still ($decoded)");
echo 'done';
?>
--EXPECT--
done
