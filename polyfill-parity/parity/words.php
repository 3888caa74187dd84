<?php

declare(strict_types=1);

/*
 * How an owner words what a local store says otherwise: patterns and what stands for both. Each is meant.
 */
return [
    // Refusals come as RESP errors, which begin with a code.
    '/NOTINT value is not an integer/' => 'the value is not an integer',
    '/OVERFLOW increment or decrement would overflow/' => 'the result does not fit into 64 bits',
    '/WRONGTYPE Operation against a key holding the wrong kind of value/' => 'the value has a type that the operation does not apply to',
    '/BADTAG (there are more than 4096 tags for one key)/' => '$1',
    '/ERR (the limit must be 1 to 1000000000)/' => '$1',
    '/ERR (the period)/' => '$1',
    // Which scheme an option is unknown for.
    '/(unknown option "colour" for) unix:/' => '$1 local:',
    // What the handle is, and figures that only shared stores have.
    '/s:7:"backend";s:6:"shared";/' => 's:7:"backend";s:5:"local";',
    '/^array a:18:(\{.*"decoded_evictions";)i:16;s:12:"mapping_size";i:17;s:13:"mapping_bytes";\}$/' => 'array a:16:$1}',
];
