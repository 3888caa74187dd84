<?php

declare(strict_types=1);

/*
 * Differences that are known, by pair and check, each with the reason. What is not here fails.
 */
$pull = 'an owner\'s TPULL of a key that is not there revokes no lease on it; a local pull() does';
$pullType = 'an owner refuses to hand out the state of a rate limit by TPULL; a local store hands it out, and the handle refuses it';
return [
    'extension shared / package over RESP' => [
        'throttle #45 getMultiple' => 'TMGET answers nil for the state of a rate limit, which the extension sees in the owner\'s memory',
    ],
    'extension local / extension shared' => [
        'remember #53 pull meanwhile, stored' => $pull,
        'throttle #44 pull' => $pullType,
    ],
    'package local / package over RESP' => [
        'remember #53 pull meanwhile, stored' => $pull,
        'throttle #44 pull' => $pullType,
        'throttle #45 getMultiple' => 'as above',
    ],
];
