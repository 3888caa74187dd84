<?php

declare(strict_types=1);

/*
 * A long-lived worker: the application is booted once and handles requests in a loop, as Octane's do.
 *
 *   php worker.php APPLICATION ROUNDS
 */

use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;

[, $directory, $rounds] = $argv;
require "$directory/vendor/autoload.php";
$app = require "$directory/bootstrap/app.php";
$kernel = $app->make(Kernel::class);
$told = ['requests' => 0, 'wrong' => [], 'allowed' => 0];
$cookies = [];
for ($round = 1; $round <= (int) $rounds; ++$round) {
    foreach (['/ten', '/visit', '/report', '/limited', '/locked', '/tagged', '/session'] as $path) {
        $request = Request::create($path, 'GET', [], $path === '/session' ? $cookies : []);
        $response = $kernel->handle($request);
        $kernel->terminate($request, $response);
        $answer = json_decode((string) $response->getContent(), true);
        ++$told['requests'];
        if ($response->getStatusCode() !== 200 || ($answer['right'] ?? true) !== true || ($path === '/session' && $answer['n'] !== $round)) {
            $told['wrong'][] = "$path: " . substr(strip_tags((string) $response->getContent()), 0, 300);
        }
        $told['allowed'] += (int) ($answer['allowed'] ?? false);
        if ($path === '/session') {
            foreach ($response->headers->getCookies() as $cookie) {
                $cookies[$cookie->getName()] = $cookie->getValue();
            }
        }
    }
}
echo json_encode($told), "\n";
