<?php

declare(strict_types=1);

/* LARAVEL_VENDOR is a vendor/ directory with laravel/framework. */

require getenv('LARAVEL_VENDOR') . '/autoload.php';
require __DIR__ . '/../../autoload.php';
