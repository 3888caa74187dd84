"""Starts servers for the daemon's tests and speaks RESP to them over raw sockets. Python's standard library only."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

COPPICED = os.environ.get("COPPICED", "coppiced")


class RespError(Exception):
    """An error reply, as a value: two of the same text are equal."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def __eq__(self, other):
        return isinstance(other, RespError) and other.text == self.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        return "RespError(%r)" % self.text


class Closed(Exception):
    """The peer closed the connection."""


def encode(*arguments):
    """A request as a RESP array of bulk strings. Text is UTF-8, numbers are decimal."""
    parts = [b"*%d\r\n" % len(arguments)]
    for a in arguments:
        if not isinstance(a, bytes):
            a = str(a).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(a), a))
    return b"".join(parts)


class Connection:
    """One client. RESP2 and RESP3 replies come back as Python values; error replies as RespError values."""

    def __init__(self, address, timeout=20):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.buffer = b""
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            raise Closed()
        self.buffer += data

    def _line(self):
        while b"\r\n" not in self.buffer:
            self._fill()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def _exactly(self, n):
        pieces = [self.buffer]
        have = len(self.buffer)
        while have < n:
            self.buffer = b""
            self._fill()
            pieces.append(self.buffer)
            have += len(self.buffer)
        whole = b"".join(pieces)
        self.buffer = whole[n:]
        return whole[:n]

    def read(self):
        line = self._line()
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return RespError(rest.decode("utf-8", "replace"))
        if kind == b":":
            return int(rest)
        if kind in b"$=":
            if rest == b"-1":
                return None
            text = self._exactly(int(rest) + 2)[:-2]
            return text[4:] if kind == b"=" else text
        if kind in b"*~>":
            if rest == b"-1":
                return None
            return [self.read() for _ in range(int(rest))]
        if kind == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        if kind == b"_":
            return None
        if kind == b"#":
            return rest == b"t"
        raise AssertionError("not RESP: %r" % line)

    def call(self, *arguments):
        self.send(encode(*arguments))
        return self.read()

    def read_to_end(self):
        """Everything until the peer closes."""
        data = self.buffer
        self.buffer = b""
        while True:
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                return data
            if not more:
                return data
            data += more


class Daemon:
    """A coppiced of its own, in a directory of its own."""

    def __init__(self, *options, directory=None, start=True, tcp=False, tolerate=False):
        self.own_directory = directory is None
        self.directory = directory or tempfile.mkdtemp(prefix="coppice-test-")
        self.path = os.path.join(self.directory, "coppice.sock")
        self.log_path = os.path.join(self.directory, "log")
        self.options = list(options) + (["--listen", "127.0.0.1:0"] if tcp else [])
        self.process = None
        if start:
            self.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.kill()
        if self.own_directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, wait=True):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [COPPICED, "--socket", self.path, *self.options], stdin=subprocess.DEVNULL, stderr=log)
        if not wait:
            return
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError("coppiced ended at its start: " + self.log())
            try:
                Connection(self.path).close()
                return
            except OSError:
                time.sleep(0.01)
        raise AssertionError("coppiced did not come up: " + self.log())

    def log(self):
        with open(self.log_path, "rb") as log:
            return log.read().decode("utf-8", "replace")

    def connect(self, timeout=20):
        return Connection(self.path, timeout)

    def tcp_port(self):
        with self.connect() as c:
            return int(info(c)["tcp_port"])

    def connect_tcp(self, timeout=20):
        return Connection(("127.0.0.1", self.tcp_port()), timeout)

    def stop(self, sig=signal.SIGTERM):
        """Ends it and answers its exit status."""
        self.process.send_signal(sig)
        return self.wait()

    def wait(self):
        status = self.process.wait(60)
        self.process = None
        return status

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None


class Redis:
    """A redis-server on a private socket, for comparison."""

    def __init__(self, *options):
        self.directory = tempfile.mkdtemp(prefix="coppice-redis-")
        self.path = os.path.join(self.directory, "redis.sock")
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--dir", self.directory, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            try:
                Connection(self.path).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def connect(self, timeout=20):
        return Connection(self.path, timeout)


def info(connection, *sections):
    """INFO's lines as a dictionary of texts."""
    text = connection.call("INFO", *sections)
    if isinstance(text, RespError):
        raise AssertionError(text.text)
    lines = text.decode().split("\r\n")
    return dict(line.split(":", 1) for line in lines if ":" in line)
