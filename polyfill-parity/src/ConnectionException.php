<?php

declare(strict_types=1);

namespace Coppice;

/** The owner can't be reached. Thrown by counters, locks and throttle() always, by everything else with on_error=throw. */
class ConnectionException extends \RuntimeException implements CacheException
{
}
