"""TLS on TCP: the handshake, clients' certificates, bad files, reload, and peers that stall."""

import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from harness import Closed, Connection, Daemon, encode


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_certificate(directory, name, ca=None):
    """NAME.crt and NAME.key; signed by itself unless there is a CA."""
    openssl("req", "-x509" if ca is None else "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + (".crt" if ca is None else ".csr"),
            *(["-days", "30"] if ca is None else []), cwd=directory)
    if ca is not None:
        openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".crt", "-CAkey", ca + ".key", "-CAcreateserial",
                "-out", name + ".crt", "-days", "30", cwd=directory)


class TlsConnection(Connection):
    def __init__(self, port, context, timeout=20):
        raw = socket.create_connection(("127.0.0.1", port), timeout)
        self.buffer = b""
        try:
            self.socket = context.wrap_socket(raw)
        except BaseException:
            raw.close()
            raise

    def _fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except (ConnectionResetError, ssl.SSLError):
            data = b""
        if not data:
            raise Closed()
        self.buffer += data


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="coppice-tls-")
        cls.addClassCleanup(temporary.cleanup)
        cls.files = temporary.name
        for name, ca in (("ca", None), ("server", "ca"), ("client", "ca"), ("other", None)):
            make_certificate(cls.files, name, ca)

    def file(self, name):
        return os.path.join(self.files, name)

    def options(self, *more, auth="no", certificate="server"):
        return ["--tls-port", "0", "--tls-cert-file", self.file(certificate + ".crt"), "--tls-key-file",
                self.file(certificate + ".key"), "--tls-auth-clients", auth, "--tls-ca-cert-file", self.file("ca.crt"), *more]

    def context(self, certificate=None, version=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.file("ca.crt"))
        if certificate:
            context.load_cert_chain(self.file(certificate + ".crt"), self.file(certificate + ".key"))
        if version:
            context.minimum_version = context.maximum_version = version
        return context

    def port(self, daemon):
        with daemon.connect() as c:
            return int(c.call("config", "get", "tls-port")[1])

    def test_commands_of_any_size_in_every_version(self):
        with Daemon(*self.options("--max-memory", "256M")) as daemon:
            port = self.port(daemon)
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                with TlsConnection(port, self.context(version=version)) as c:
                    self.assertEqual(c.socket.version(), "TLSv1.2" if version == ssl.TLSVersion.TLSv1_2 else "TLSv1.3")
                    for size in (0, 1, 16000, 16384, 16385, 100000, 5000000):
                        value = os.urandom(size)
                        self.assertEqual(c.call("set", "k", value), "OK")
                        self.assertEqual(c.call("get", "k"), value)
                    # A pipeline in one record after the other, split anywhere.
                    whole = b"".join(encode("set", "p%d" % i, "v" * i) for i in range(2000))
                    for i in range(0, len(whole), 7777):
                        c.send(whole[i:i + 7777])
                    self.assertEqual([c.read() for _ in range(2000)], ["OK"] * 2000)
                    self.assertIn(b"addr=127.0.0.1:", c.call("client", "info"))

    def test_a_reader_that_is_slow_gets_it_all(self):
        with Daemon(*self.options("--max-memory", "256M")) as daemon, TlsConnection(self.port(daemon), self.context()) as c:
            value = os.urandom(3000000)
            c.call("set", "k", value)
            c.send(b"GET k\r\n" * 20)
            with daemon.connect() as other:
                self.assertEqual(other.call("ping"), "PONG")
            for _ in range(20):
                self.assertEqual(c.read(), value)

    def test_certificates_of_clients(self):
        for auth, certificate, accepted in (("yes", None, False), ("yes", "other", False), ("yes", "client", True),
                                            ("optional", None, True), ("optional", "other", False), ("optional", "client", True),
                                            ("no", None, True)):
            with self.subTest(auth=auth, certificate=certificate), Daemon(*self.options(auth=auth)) as daemon:
                try:
                    with TlsConnection(self.port(daemon), self.context(certificate)) as c:
                        self.assertEqual(c.call("ping"), "PONG")
                        self.assertTrue(accepted)
                except (Closed, ssl.SSLError, OSError):
                    self.assertFalse(accepted)

    def test_bad_files_are_named(self):
        with open(self.file("garbage"), "w") as f:
            f.write("nonsense")
        openssl("ec", "-in", "server.key", "-out", "locked.key", "-aes128", "-passout", "pass:secret", cwd=self.files)
        cases = [
            ({"--tls-cert-file": "/no/such"}, "--tls-cert-file", 1), ({"--tls-key-file": "/no/such"}, "--tls-key-file", 1),
            ({"--tls-ca-cert-file": "/no/such"}, "--tls-ca-cert-file", 1),
            ({"--tls-cert-file": self.file("garbage")}, "--tls-cert-file", 1),
            ({"--tls-key-file": self.file("other.key")}, "--tls-key-file", 1),
            ({"--tls-key-file": self.file("locked.key")}, "--tls-key-file", 1),
            ({"--tls-cert-file": None}, "--tls-cert-file", 2), ({"--tls-key-file": None}, "--tls-key-file", 2),
            ({"--tls-ca-cert-file": None, "--tls-auth-clients": "yes"}, "--tls-ca-cert-file", 2),
            ({"--tls-auth-clients": "maybe"}, "'maybe'", 2), ({"--tls-port": "65536"}, "--tls-port", 2),
            ({"--tls-bind": "0.0.0.0"}, "can be reached from other hosts", 1),
        ]
        for changed, named, status in cases:
            with self.subTest(changed=changed):
                options = dict(zip(*[iter(self.options())] * 2))
                options.update(changed)
                daemon = Daemon(*[w for option, value in options.items() if value for w in (option, value)], start=False)
                daemon.start(wait=False)
                self.assertEqual(daemon.wait(), status)
                self.assertIn(named, daemon.log())
                self.assertFalse(os.path.exists(daemon.path))
                daemon.__exit__()

    def test_reload(self):
        for name in ("crt", "key"):
            with open(self.file("server." + name)) as old, open(self.file("live." + name), "w") as new:
                new.write(old.read())

        def serial(port):
            with TlsConnection(port, self.context()) as c:
                self.assertEqual(c.call("ping"), "PONG")
                return c.socket.getpeercert()["serialNumber"]

        def reload(daemon, wanted):
            before = daemon.log().count("SIGHUP")
            daemon.process.send_signal(signal.SIGHUP)
            while daemon.log().count("SIGHUP") == before:
                time.sleep(0.01)
            self.assertIn(wanted, daemon.log().splitlines()[-1])

        with Daemon(*self.options(certificate="live")) as daemon:
            port = self.port(daemon)
            first = serial(port)
            with TlsConnection(port, self.context()) as old:
                make_certificate(self.files, "live", "ca")
                self.assertEqual(serial(port), first)
                reload(daemon, "was read again")
                self.assertNotEqual(serial(port), first)
                second = serial(port)
                with open(self.file("live.key"), "w") as f:
                    f.write("nonsense")
                reload(daemon, "--tls-key-file")
                self.assertEqual(serial(port), second)
                self.assertEqual(old.call("ping"), "PONG")
        with Daemon() as daemon:
            reload(daemon, "no certificate")
            with daemon.connect() as c:
                self.assertEqual(c.call("ping"), "PONG")

    def test_whoever_stalls_or_speaks_nonsense_holds_up_nobody(self):
        with Daemon(*self.options()) as daemon, daemon.connect() as c:
            port = self.port(daemon)
            stalled = [socket.create_connection(("127.0.0.1", port), 20) for _ in range(50)]
            for i, s in enumerate(stalled):
                # A record of a handshake that is never finished.
                s.sendall(b"\x16\x03\x01\x02\x00\x01"[:i % 7])
            nonsense = [socket.create_connection(("127.0.0.1", port), 20) for _ in range(20)]
            for i, s in enumerate(nonsense):
                s.sendall(os.urandom(500) if i % 2 else b"PING\r\n" * 50)
            for s in nonsense:
                while True:
                    try:
                        if not s.recv(1000):
                            break
                    except ConnectionResetError:
                        break
                s.close()
            with TlsConnection(port, self.context()) as good:
                self.assertEqual(good.call("ping"), "PONG")
            self.assertEqual(c.call("ping"), "PONG")
            # They are closed after a while.
            for s in stalled:
                self.assertEqual(s.recv(1000)[:0], b"")
                s.close()

    def test_the_limit_of_clients_holds(self):
        with Daemon(*self.options("--max-clients", "2")) as daemon, daemon.connect() as a, daemon.connect():
            with self.assertRaises((Closed, ssl.SSLError, OSError)):
                with TlsConnection(int(a.call("config", "get", "tls-port")[1]), self.context()) as c:
                    c.call("ping")


if __name__ == "__main__":
    unittest.main()
