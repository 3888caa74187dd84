<?php

declare(strict_types=1);

namespace Coppice;

/** The store refused a value (too large, no room), or a lock (there are too many). Thrown by counters, locks and throttle() always, by everything else with on_error=throw. */
class RefusedException extends \RuntimeException implements CacheException
{
}
