"""A connection that keeps apart what RESP keeps apart: a reply is compared with its kind, not only with its bytes."""

import socket


class Wire:
    """Requests may be sent ahead; replies come back as tuples (kind, content)."""

    def __init__(self, address, protocol):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self.call([b"HELLO", b"3"])

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, commands):
        parts = []
        for arguments in commands:
            parts.append(b"*%d\r\n" % len(arguments))
            for argument in arguments:
                parts.append(b"$%d\r\n%s\r\n" % (len(argument), argument))
        self.socket.sendall(b"".join(parts))

    def call(self, arguments):
        self.send([arguments])
        return self.read()

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the connection ended")
        kind, rest = line[:1].decode(), line[1:-2]
        if kind in "$=":
            if rest == b"-1":
                return ("null", None)
            return (kind, self.file.read(int(rest) + 2)[:-2])
        if kind in "*~>":
            if rest == b"-1":
                return ("null", None)
            return (kind, [self.read() for _ in range(int(rest))])
        if kind == "%":
            return (kind, [self.read() for _ in range(2 * int(rest))])
        if kind == "_":
            return ("null", None)
        if kind == ":":
            return (kind, int(rest))
        return (kind, rest)
