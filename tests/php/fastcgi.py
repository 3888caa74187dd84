"""A FastCGI client: one request a connection, which is all that the tests need. Python's standard library only."""

import socket
import struct

VERSION = 1
BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT, STDERR = 1, 3, 4, 5, 6, 7
RESPONDER = 1


class Answer:
    """What a request came to: the body, what went to the error stream, and the status of the script's process."""

    def __init__(self, stdout, stderr, status):
        head, _, self.body = stdout.partition(b"\r\n\r\n")
        self.headers = dict(line.split(b": ", 1) for line in head.split(b"\r\n") if b": " in line)
        self.errors = stderr
        self.status = status


class Broken(Exception):
    """The server closed the connection before the request had ended."""


def _record(kind, content):
    return struct.pack(">BBHHBx", VERSION, kind, 1, len(content), 0) + content


def _length(n):
    return struct.pack(">B", n) if n < 128 else struct.pack(">I", n | 0x80000000)


def _receive(connection, n):
    parts = []
    while n > 0:
        part = connection.recv(n)
        if not part:
            raise Broken()
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def request(path, script, query="", timeout=60, **more):
    """Runs `script` (a path) through the server whose unix socket is `path`; `more` are further CGI variables."""
    variables = {"GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_FILENAME": script, "SCRIPT_NAME": script,
                 "REQUEST_URI": script + "?" + query, "QUERY_STRING": query, "SERVER_PROTOCOL": "HTTP/1.1", **more}
    params = b""
    for name, value in variables.items():
        name, value = name.encode(), value.encode()
        params += _length(len(name)) + _length(len(value)) + name + value
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        connection.connect(path)
        connection.sendall(_record(BEGIN_REQUEST, struct.pack(">HB5x", RESPONDER, 0)) + _record(PARAMS, params) +
                           _record(PARAMS, b"") + _record(STDIN, b""))
        streams = {STDOUT: b"", STDERR: b""}
        while True:
            _, kind, _, length, padding = struct.unpack(">BBHHBx", _receive(connection, 8))
            content = _receive(connection, length + padding)[:length]
            if kind == END_REQUEST:
                return Answer(streams[STDOUT], streams[STDERR], struct.unpack(">IB3x", content)[0])
            if kind in streams:
                streams[kind] += content
