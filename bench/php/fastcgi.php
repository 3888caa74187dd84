<?php
// A FastCGI client for one request on a connection of its own.
declare(strict_types=1);

namespace Bench;

/** Runs a script through the server behind a unix socket. @return string its output without the headers */
function fastcgi_get(string $socket, string $script, string $query): string
{
    $record = fn (int $type, string $content): string => pack('CCnnCC', 1, $type, 1, strlen($content), 0, 0) . $content;
    $length = fn (int $n): string => $n < 128 ? chr($n) : pack('N', $n | 0x80000000);
    $params = '';
    foreach (['GATEWAY_INTERFACE' => 'CGI/1.1', 'REQUEST_METHOD' => 'GET', 'SCRIPT_FILENAME' => $script, 'SCRIPT_NAME' => $script, 'REQUEST_URI' => $script, 'QUERY_STRING' => $query] as $name => $value) {
        $params .= $length(strlen($name)) . $length(strlen($value)) . $name . $value;
    }
    $connection = stream_socket_client("unix://$socket", $code, $why, 10) ?: throw new \RuntimeException("no FastCGI server: $why");
    stream_set_timeout($connection, 120);
    fwrite($connection, $record(1, pack('nCx5', 1, 0)) . $record(4, $params) . $record(4, '') . $record(5, ''));
    $output = '';
    while (true) {
        $head = stream_get_contents($connection, 8);
        if (strlen((string) $head) < 8) {
            throw new \RuntimeException('the FastCGI server broke off: ' . substr($output, -300));
        }
        ['type' => $type, 'length' => $n, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding', $head);
        $content = $n + $padding > 0 ? (string) stream_get_contents($connection, $n + $padding) : '';
        if ($type === 3) {
            break;
        }
        $output .= substr($content, 0, $n);
    }
    return explode("\r\n\r\n", $output, 2)[1] ?? '';
}
