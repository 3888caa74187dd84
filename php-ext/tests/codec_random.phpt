--TEST--
The array codec: random arrays come back as they were, like from unserialize()
--INI--
coppice.decoded_memory=0
--FILE--
<?php
require __DIR__ . '/setup.inc';
$c = cache();
$seed = random_int(0, 1 << 30);
mt_srand($seed);
$word = fn () => ['id', 'name', 'x', '', 'value', '12', 'a longer string than thirty-two bytes is', "\0\xff"][mt_rand(0, 7)] . (mt_rand(0, 3) ? '' : mt_rand(0, 99));
$shared = [];
$make = function (int $depth) use (&$make, $word, &$shared) {
    switch (mt_rand(0, $depth > 0 ? 9 : 6)) {
        case 0: return null;
        case 1: return mt_rand(0, 1) === 1;
        case 2: return mt_rand(-200, 200);
        case 3: return mt_rand() << mt_rand(0, 32);
        case 4: return mt_rand() / 7;
        case 5: return $word();
        case 6: return str_repeat($word(), mt_rand(0, 20));
        case 7: return array_map(fn () => $make($depth - 1), range(0, mt_rand(0, 12)));
        default:
            $array = [];
            for ($n = mt_rand(0, 12); $n > 0; --$n) {
                $key = mt_rand(0, 3) ? $word() : mt_rand(-5, 300);
                unset($array[$key]);
                if (mt_rand(0, 20) === 0 && isset($shared[$n])) {
                    $array[$key] = &$shared[$n];
                } else {
                    $array[$key] = $make($depth - 1);
                }
                if (mt_rand(0, 20) === 0 && !is_array($array[$key])) {
                    $shared[$n] = &$array[$key];
                }
            }
            return $array;
    }
};
for ($i = 0; $i < 3000; ++$i) {
    $shared = [];
    $value = [$make(4), $make(3)];
    $c->set('k', $value);
    if (serialize($c->get('k')) !== serialize($value)) {
        echo "FAILED at $i with seed $seed\n";
        break;
    }
}
echo 'done';
?>
--EXPECT--
done
