<?php

declare(strict_types=1);

/*
 * Differences that are known, by pair ("extension local / extension shared") and check ("throttle #44 pull"), each with the
 * reason. What is not here fails.
 */
$words = 'an owner refuses the TPULL of a rate limit in its own words; a local store\'s handle names the key';
return [
    'extension local / extension shared' => ['throttle #44 pull' => $words],
    'package local / package over RESP' => ['throttle #44 pull' => $words],
];
