"""coppiced over real sockets: pipelines, slow and broken clients, ATTACH, its files, its start and its end."""

import array
import fcntl
import mmap
import os
import pwd
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import time
import unittest

from harness import COPPICED, Closed, Connection, Daemon, RespError, encode, info

F_GET_SEALS = 1034
SEAL_SEAL, SEAL_SHRINK, SEAL_GROW, SEAL_FUTURE_WRITE = 1, 2, 4, 16


def attach(connection):
    """ATTACH 1; answers the reply and the descriptors."""
    connection.send(encode("ATTACH", 1))
    data, ancillary, _, _ = connection.socket.recvmsg(4096, socket.CMSG_SPACE(64))
    connection.buffer += data
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % 4])
    return connection.read(), list(descriptors)


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("did not happen within %d s" % seconds)
        time.sleep(0.01)


def start_and_fail(*options):
    """Runs coppiced to its end; answers its status and what it said."""
    run = subprocess.run([COPPICED, *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return run.returncode, run.stderr.decode()


class Pipelines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "1G", "--max-value", "80M", "--output-limit", "100M", tcp=True)
        cls.addClassCleanup(cls.daemon.__exit__)

    def setUp(self):
        with self.daemon.connect() as c:
            c.call("FLUSHALL")

    def test_ten_thousand_commands_at_once(self):
        for connect in (self.daemon.connect, self.daemon.connect_tcp):
            with connect() as c:
                c.send(b"".join(encode("SET", "k%d" % i, "v%d" % i) + encode("GET", "k%d" % i) for i in range(5000)))
                for i in range(5000):
                    self.assertEqual(c.read(), "OK")
                    self.assertEqual(c.read(), b"v%d" % i)

    def test_input_split_at_every_byte(self):
        with self.daemon.connect() as c:
            for byte in encode("SET", "split", "a\r\nb") + b"GET split\r\n":
                c.send(bytes([byte]))
            self.assertEqual(c.read(), "OK")
            self.assertEqual(c.read(), b"a\r\nb")

    def test_large_values(self):
        with self.daemon.connect() as c, self.daemon.connect() as other:
            for size in (65535, 65536, 1 << 20, 40 << 20):
                value = os.urandom(1 << 16) * (size >> 16) + b"x" * (size & 0xFFFF)
                self.assertEqual(c.call("SET", "large", value), "OK")
                self.assertEqual(other.call("STRLEN", "large"), len(value))
                self.assertTrue(other.call("GET", "large") == value)
            c.call("DEL", "large")

    def test_value_above_the_limit_is_refused_and_the_old_one_stays(self):
        with self.daemon.connect() as c:
            c.call("SET", "k", "old")
            error = c.call("SET", "k", b"x" * ((80 << 20) + 1))
            self.assertEqual(error, RespError("ERR value is larger than the limit of 83886080 bytes"))
            self.assertEqual(c.call("GET", "k"), b"old")

    def test_bulk_that_was_only_announced_takes_no_memory(self):
        with self.daemon.connect() as c:
            before = int(info(c, "memory")["used_memory_rss"])
            clients = [self.daemon.connect() for _ in range(50)]
            for client in clients:
                client.send(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\nabc")
            time.sleep(0.2)
            self.assertLess(int(info(c, "memory")["used_memory_rss"]) - before, 16 << 20)
            for client in clients:
                client.close()
            self.assertEqual(c.call("EXISTS", "k"), 0)

    def test_client_waits_for_its_own_range_delete_and_others_do_not(self):
        with self.daemon.connect() as c, self.daemon.connect() as other:
            n = 200_000
            for start in range(0, n, 1000):
                c.send(encode("MSET", *(word for i in range(start, start + 1000) for word in ("d.%d" % i, "v"))))
                self.assertEqual(c.read(), "OK")
            c.send(encode("DELPREFIX", "d.") + encode("DBSIZE") + encode("SET", "after", 1) + encode("PING"))
            served = 0
            while not select.select([c.socket], [], [], 0)[0]:
                self.assertEqual(other.call("PING"), "PONG")
                served += 1
            self.assertEqual([c.read() for _ in range(4)], [n, 0, "OK", "PONG"])
            self.assertGreater(served, 10)

    def test_client_waits_for_its_own_tag_delete_and_others_do_not(self):
        with self.daemon.connect() as c, self.daemon.connect() as other:
            n = 100_000
            for start in range(0, n, 1000):
                c.send(b"".join(encode("SET", "d.%d" % i, "v", "TAGS", 1, "all") for i in range(start, start + 1000)))
                for _ in range(1000):
                    self.assertEqual(c.read(), "OK")
            self.assertEqual(c.call("COUNTTAG", "all"), n)
            c.send(encode("DELTAG", "all") + encode("DBSIZE") + encode("PING"))
            served = 0
            while not select.select([c.socket], [], [], 0)[0]:
                self.assertEqual(other.call("PING"), "PONG")
                served += 1
            self.assertEqual([c.read() for _ in range(3)], [n, 0, "PONG"])
            self.assertGreater(served, 10)

    def test_tags_are_any_bytes_and_may_be_many(self):
        with self.daemon.connect() as c:
            tags = [b"\x00\r\n\xff%04d" % i for i in range(4096)]
            self.assertEqual(c.call("SET", "k", "v", "TAGS", len(tags), *reversed(tags)), "OK")
            self.assertEqual(c.call("TAGS", "k"), tags)
            self.assertEqual(c.call("SET", "k", "w", "TAGS", len(tags) + 1, "one more", *tags),
                             RespError("BADTAG there are more than 4096 tags for one key"))
            self.assertEqual(c.call("GET", "k"), b"v")
            self.assertEqual(c.call("DELTAG", tags[77]), 1)

    def test_a_million_rounds_under_a_tag_leave_the_owner_as_it_was(self):
        # A tenth of them over the socket; the engine's own test does the million.
        with self.daemon.connect() as c:
            def rounds(first, n):
                for start in range(first, first + n, 500):
                    c.send(b"".join(encode("SET", "u%06d" % i, "v%06d" % i, "TAGS", 1, "test") + encode("DELTAG", "test")
                                    for i in range(start, start + 500)))
                    for _ in range(500):
                        self.assertEqual([c.read(), c.read()], ["OK", 1])
            stats = lambda: dict(zip(*[iter(c.call("TSTATS"))] * 2))
            rounds(0, 5000)
            before = stats()
            rounds(5000, 100_000)
            after = stats()
            self.assertEqual(after[b"used_memory"], before[b"used_memory"])
            self.assertEqual([after[b"tags"], after[b"tag_memberships"], after[b"tag_index_bytes"]], [0, 0, 0])

    def test_client_that_leaves_during_its_range_delete(self):
        with self.daemon.connect() as c, self.daemon.connect() as other:
            for start in range(0, 100_000, 1000):
                c.send(encode("MSET", *(word for i in range(start, start + 1000) for word in ("l.%d" % i, "v"))))
                c.read()
            c.send(encode("DELPREFIX", "l.") + encode("KEYS", "*"))
            c.close()
            wait_until(lambda: other.call("DBSIZE") == 0)
            wait_until(lambda: int(info(other)["connected_clients"]) == 1)

    def test_keys_and_scan_answer_whole_lists(self):
        with self.daemon.connect() as c:
            for start in range(0, 50_000, 1000):
                c.send(encode("MSET", *(word for i in range(start, start + 1000) for word in ("s.%05d" % i, "v"))))
                c.read()
            expected = [b"s.%05d" % i for i in range(50_000)]
            self.assertEqual(c.call("KEYS", "*"), expected)
            self.assertEqual(c.call("SCANPREFIX", "s.", "LIMIT", 100_000), expected)
            self.assertEqual(c.call("SCAN", 0, "COUNT", 100_000), [b"0", expected])
            self.assertEqual(c.call("SCANPREFIX", "s.", "LIMIT", 3, "REV", "AFTER", "s.00010"),
                             [b"s.00009", b"s.00008", b"s.00007"])

    def test_bytes_in_keys_and_values(self):
        with self.daemon.connect() as c:
            everything = bytes(range(256))
            c.call("SET", everything, everything)
            c.call("SET", b"\xff", 1)
            c.call("SET", b"\xfe", 2)
            c.call("SET", b"a\0b", 3)
            c.call("SET", b"a\0c", 4)
            self.assertEqual(c.call("MGET", everything, b"\xff", b"\xfe", b"a\0b", b"a\0c"),
                             [everything, b"1", b"2", b"3", b"4"])
            self.assertEqual(c.call("KEYS", "*"), [everything, b"a\0b", b"a\0c", b"\xfe", b"\xff"])


class Clients(unittest.TestCase):
    def test_client_that_does_not_read_is_closed_and_holds_up_nobody(self):
        with Daemon("--output-limit", "8M", "--max-value", "1M") as d, d.connect() as c, d.connect() as other:
            other.call("SET", "k", b"x" * 100_000)
            with self.assertRaises((Closed, OSError)):
                c.socket.settimeout(20)
                for _ in range(10_000):
                    c.send(encode("GET", "k") * 100)
                    self.assertEqual(other.call("PING"), "PONG")
            self.assertEqual(other.call("PING"), "PONG")
            wait_until(lambda: int(info(other)["connected_clients"]) == 1)
            self.assertIn("unread", d.log())

    def test_client_that_sent_all_and_never_reads_is_closed_too(self):
        with Daemon("--output-limit", "8M", "--max-value", "1M") as d, d.connect() as c, d.connect() as other:
            other.call("SET", "k", b"x" * (1 << 20))
            c.send(encode("GET", "k") * 50)
            wait_until(lambda: int(info(other)["connected_clients"]) == 1)
            self.assertIn("unread", d.log())

    def test_pipeline_that_is_written_whole_before_a_reply_is_read(self):
        with Daemon("--output-limit", "100M") as d, d.connect() as c:
            c.call("SET", "k", b"x" * 1000)
            n = 40_000
            c.send(encode("GET", "k") * n)
            for _ in range(n):
                self.assertEqual(len(c.read()), 1000)

    def test_slow_reader_gets_everything(self):
        with Daemon() as d, d.connect() as c:
            value = b"y" * (1 << 20)
            c.call("SET", "k", value)
            c.send(encode("GET", "k") * 40)
            for _ in range(40):
                time.sleep(0.005)
                self.assertTrue(c.read() == value)

    def test_input_that_waits_is_bounded(self):
        with Daemon("--input-limit", "1M", "--max-bulk", "1M", "--max-value", "1M") as d, d.connect() as c:
            with self.assertRaises((Closed, OSError)):
                c.send(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1048576\r\n" + b"x" * 1048576)
                c.read()
            with d.connect() as other:
                self.assertEqual(other.call("PING"), "PONG")

    def test_max_clients(self):
        with Daemon("--max-clients", "3") as d:
            clients = [d.connect() for _ in range(3)]
            for c in clients:
                self.assertEqual(c.call("PING"), "PONG")
            with d.connect() as refused:
                self.assertEqual(refused.read(), RespError("ERR max number of clients reached"))
                with self.assertRaises(Closed):
                    refused.read()
            clients.pop().close()
            wait_until(lambda: int(info(clients[0])["connected_clients"]) == 2)
            with d.connect() as again:
                self.assertEqual(again.call("PING"), "PONG")
                self.assertEqual(int(info(again)["rejected_connections"]), 1)
            for c in clients:
                c.close()

    def test_protocol_error_is_the_last_reply(self):
        with Daemon() as d, d.connect() as c:
            c.send(b"PING\r\n*1\r\n$x\r\nPING\r\n")
            self.assertEqual(c.read_to_end(), b"+PONG\r\n-ERR Protocol error: invalid bulk length\r\n")

    def test_resp3(self):
        with Daemon() as d, d.connect() as c:
            hello = c.call("HELLO", 3, "SETNAME", "me")
            self.assertEqual(list(hello), [b"server", b"version", b"proto", b"id", b"mode", b"role", b"modules"])
            self.assertEqual(hello[b"server"], b"redis")
            self.assertIsNone(c.call("GET", "none"))
            self.assertEqual(c.call("CONFIG", "GET", "databases"), {b"databases": b"16"})
            self.assertIn("redis_version", info(c))

    def test_password(self):
        with Daemon("--requirepass", "geheim", tcp=False) as d, d.connect() as c:
            self.assertEqual(c.call("ATTACH", 1), RespError("NOAUTH Authentication required."))
            self.assertEqual(c.call("AUTH", "geheim"), "OK")
            reply, descriptors = attach(c)
            self.assertEqual(reply[0], 1)
            for fd in descriptors:
                os.close(fd)

    def test_allowed_users(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become another user")
        nobody = pwd.getpwnam("nobody").pw_uid
        # Reads first: who is refused is told so and closed without being read from.
        script = ("import socket,sys,select; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
                  "select.select([s],[],[],0.2)[0] or s.sendall(b'PING\\r\\n'); print(s.recv(100))")

        def ping_as(uid, path):
            return subprocess.run(["python3", "-c", script, path], user=uid, capture_output=True, timeout=60).stdout

        for options, expected in ((["--allow-uid", "12345"], b"-NOPERM"), (["--allow-uid", str(nobody)], b"+PONG"),
                                  ([], b"+PONG")):
            with Daemon("--socket-mode", "0666", *options) as d:
                os.chmod(d.directory, 0o755)
                self.assertIn(expected, ping_as(nobody, d.path))
                self.assertIn(b"+PONG", ping_as(0, d.path))


class Attach(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(tcp=True)
        cls.addClassCleanup(cls.daemon.__exit__)

    def test_descriptors(self):
        with self.daemon.connect() as c:
            reply, (segment, hints) = attach(c)
            try:
                self.assertEqual(reply[0], 1)
                self.assertRegex(reply[1], rb"^[0-9a-f]{32}$")
                self.assertEqual(reply[2], os.fstat(segment).st_size)
                self.assertEqual(os.fstat(hints).st_size, 16384)
                wanted = SEAL_SHRINK | SEAL_GROW
                self.assertEqual(fcntl.fcntl(segment, F_GET_SEALS) & (wanted | SEAL_FUTURE_WRITE),
                                 wanted | SEAL_FUTURE_WRITE)
                self.assertEqual(fcntl.fcntl(hints, F_GET_SEALS) & wanted, wanted)
                with mmap.mmap(segment, 4096, mmap.MAP_SHARED, mmap.PROT_READ) as header:
                    self.assertEqual(header[:8], b"COPPICE1")
                with self.assertRaises(PermissionError):
                    mmap.mmap(segment, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
                self.assertEqual(c.call("ATTACH", 1), RespError("ERR this connection is attached already"))
            finally:
                os.close(segment)
                os.close(hints)

    def test_reply_in_the_middle_of_a_pipeline(self):
        with self.daemon.connect() as c:
            c.send(b"PING\r\n" * 3 + encode("ATTACH", 1) + b"PING\r\n")
            descriptors = []
            end = time.monotonic() + 20
            while c.buffer.count(b"PONG") < 4 and time.monotonic() < end:
                data, ancillary, _, _ = c.socket.recvmsg(4096, socket.CMSG_SPACE(64))
                c.buffer += data
                for _, _, payload in ancillary:
                    descriptors += array.array("i", payload)
            self.assertEqual([c.read() for _ in range(3)], ["PONG"] * 3)
            self.assertEqual(c.read()[0], 1)
            self.assertEqual(c.read(), "PONG")
            self.assertEqual(len(descriptors), 2)
            for fd in descriptors:
                os.close(fd)

    def test_refusals(self):
        with self.daemon.connect_tcp() as c:
            self.assertEqual(c.call("ATTACH", 1), RespError("ERR ATTACH needs the unix socket"))
        with self.daemon.connect() as c:
            self.assertEqual(c.call("ATTACH", 2),
                             RespError("NOPROTO unsupported ATTACH protocol 2; this owner speaks 1"))

    def test_hint_page_is_counted_and_forgotten(self):
        with self.daemon.connect() as c, self.daemon.connect() as other:
            before = info(other)
            _, (segment, hints) = attach(c)
            self.assertEqual(int(info(other)["attached_workers"]), 1)
            with mmap.mmap(hints, 16384) as page:
                page[0:24] = struct.pack("<QQQ", 1000, 300, 0)
                wait_until(lambda: int(info(other)["keyspace_hits"]) - int(before["keyspace_hits"]) == 1000)
                self.assertEqual(int(info(other)["keyspace_misses"]) - int(before["keyspace_misses"]), 300)
                # A broken worker spoils nothing: garbage everywhere, counters that run backwards.
                page[:] = b"\xff" * 16384
                time.sleep(0.12)
                page[0:16] = struct.pack("<QQ", 5, 5)
                time.sleep(0.12)
            self.assertEqual(other.call("PING"), "PONG")
            self.assertLess(int(info(other)["keyspace_hits"]), 1 << 40)
            os.close(segment)
            os.close(hints)
            c.close()
            wait_until(lambda: int(info(other)["attached_workers"]) == 0)

    def test_lease_is_renewed(self):
        with self.daemon.connect() as c:
            _, (segment, hints) = attach(c)
            os.close(hints)
            with mmap.mmap(segment, 4096, mmap.MAP_SHARED, mmap.PROT_READ) as header:
                first = header[:]
                wait_until(lambda: header[:] != first)
            os.close(segment)

    def test_owner_is_not_dumpable(self):
        if os.geteuid() != 0:
            with self.assertRaises(PermissionError):
                open("/proc/%d/mem" % self.daemon.process.pid, "r+b")
            return
        # As another user's process: one that can be dumped belongs to its user in /proc, this one must not.
        nobody = pwd.getpwnam("nobody")
        directory = tempfile.mkdtemp(prefix="coppice-test-")
        try:
            os.chown(directory, nobody.pw_uid, -1)
            binary = os.path.join(directory, "coppiced")
            shutil.copy(COPPICED, binary)
            process = subprocess.Popen([binary, "--socket", directory + "/s", "--log-level", "off"], user=nobody.pw_uid)
            try:
                wait_until(lambda: os.path.exists(directory + "/s"))
                self.assertEqual(os.stat("/proc/%d/mem" % process.pid).st_uid, 0)
            finally:
                process.terminate()
                process.wait()
        finally:
            shutil.rmtree(directory)


class Files(unittest.TestCase):
    def test_clean_end_removes_the_socket(self):
        for sig in (signal.SIGTERM, signal.SIGINT):
            with Daemon() as d:
                self.assertEqual(d.stop(sig), 0)
                self.assertFalse(os.path.exists(d.path))

    def test_shutdown_command(self):
        with Daemon() as d, d.connect() as c:
            c.send(encode("SHUTDOWN"))
            self.assertEqual(c.read_to_end(), b"")
            self.assertEqual(d.wait(), 0)
            self.assertFalse(os.path.exists(d.path))

    def test_mode_and_group_of_the_socket(self):
        for mode in (0o600, 0o660, 0o666):
            with Daemon("--socket-mode", "%o" % mode, "--socket-group", "root") as d:
                self.assertEqual(stat.S_IMODE(os.stat(d.path).st_mode), mode)

    def test_directory_that_others_can_write_is_warned_of(self):
        for mode, warned in ((0o700, False), (0o755, False), (0o1777, False), (0o777, True)):
            with Daemon(start=False) as d:
                os.chmod(d.directory, mode)
                d.start()
                self.assertEqual("can be written by others" in d.log(), warned)

    def test_socket_that_another_owner_serves(self):
        with Daemon() as d:
            status, said = start_and_fail("--socket", d.path)
            self.assertEqual(status, 1)
            self.assertIn("another owner serves " + d.path, said)
            with d.connect() as c:
                self.assertEqual(c.call("PING"), "PONG")

    def test_socket_that_something_else_serves(self):
        with Daemon(start=False) as d, socket.socket(socket.AF_UNIX) as server:
            server.bind(d.path)
            server.listen()
            status, said = start_and_fail("--socket", d.path)
            self.assertEqual(status, 1)
            self.assertIn("another server listens on " + d.path, said)
            self.assertTrue(os.path.exists(d.path))

    def test_file_that_is_no_socket_is_left_alone(self):
        with Daemon(start=False) as d:
            with open(d.path, "w") as f:
                f.write("precious")
            status, said = start_and_fail("--socket", d.path)
            self.assertEqual(status, 1)
            self.assertIn(d.path + " exists and is not a socket", said)
            with open(d.path) as f:
                self.assertEqual(f.read(), "precious")

    def test_stale_socket_is_replaced(self):
        with Daemon() as d:
            d.kill()
            self.assertTrue(os.path.exists(d.path))
            d.start()
            with d.connect() as c:
                self.assertEqual(c.call("PING"), "PONG")

    def test_directory_that_is_not_there(self):
        status, said = start_and_fail("--socket", "/nonexistent/coppice.sock")
        self.assertEqual(status, 1)
        self.assertIn("/nonexistent/coppice.sock.lock", said)

    def test_beyond_loopback_without_password(self):
        with Daemon(start=False) as d:
            for address in ("0.0.0.0:0", "[::]:0"):
                status, said = start_and_fail("--socket", d.path, "--listen", address)
                self.assertEqual(status, 1)
                self.assertIn("set requirepass first", said)
                self.assertFalse(os.path.exists(d.path))

    def test_port_in_use(self):
        with Daemon(tcp=True) as d, Daemon(start=False) as second:
            status, said = start_and_fail("--socket", second.path, "--listen", "127.0.0.1:%d" % d.tcp_port())
            self.assertEqual(status, 1)
            self.assertIn("cannot listen on 127.0.0.1:", said)

    def test_bad_options(self):
        for options, named in ((["--max-memory", "much"], "--max-memory"), (["--frobnicate"], "--frobnicate"), ([], "--socket")):
            status, said = start_and_fail(*options)
            self.assertEqual(status, 2)
            self.assertIn(named, said)


@unittest.skipUnless(shutil.which("redis-cli"), "redis-cli is not installed")
class RedisCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__)

    def cli(self, *arguments, text=None):
        run = subprocess.run(["redis-cli", "-s", self.daemon.path, *arguments], input=text, capture_output=True,
                             text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_commands(self):
        self.assertEqual(self.cli("SET", "cli", "v"), "OK\n")
        self.assertEqual(self.cli("-3", "GET", "cli"), "v\n")
        self.assertEqual(self.cli("--scan", "--pattern", "cl*"), "cli\n")
        self.assertEqual(self.cli("DELPREFIX", "cl"), "1\n")

    def test_lines_with_quotes(self):
        self.assertEqual(self.cli(text='SET "a b" "c\\x41"\nGET "a b"\n').split(), ["OK", "cA"])

    def test_mass_insertion(self):
        stream = b"".join(encode("SET", "pipe.%d" % i, i) for i in range(20_000))
        run = subprocess.run(["redis-cli", "-s", self.daemon.path, "--pipe"], input=stream, capture_output=True,
                             timeout=60)
        self.assertIn(b"errors: 0, replies: 20000", run.stdout)
        self.assertEqual(self.cli("COUNTPREFIX", "pipe."), "20000\n")


@unittest.skipUnless(shutil.which("php") and subprocess.run(
    ["php", "-r", "exit(extension_loaded('redis') ? 0 : 1);"]).returncode == 0, "php with ext-redis is not installed")
class PhpRedis(unittest.TestCase):
    SCRIPT = r"""
        function check($what, $ok) { if (!$ok) { fwrite(STDERR, "$what
"); exit(1); } }
        $r = new Redis();
        check('connect', $r->connect($argv[1]));
        check('ping', $r->ping());
        check('set', $r->set('php.k', "a\0\xff", ['ex' => 100]));
        check('get', $r->get('php.k') === "a\0\xff");
        check('ttl', $r->ttl('php.k') === 100);
        check('miss', $r->get('php.none') === false);
        check('nx', $r->set('php.k', 'x', ['nx']) === false);
        check('mset', $r->mset(['php.a' => '1', 'php.b' => '2']));
        check('mget', $r->mget(['php.a', 'php.none', 'php.b']) === ['1', false, '2']);
        check('incrBy', $r->incrBy('php.a', 41) === 42);
        check('exists', $r->exists('php.a', 'php.none') === 1);
        check('select', $r->select(2) && $r->dbSize() === 0 && $r->select(0));
        $r->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
        for ($i = 0; $i < 500; $i++) $r->set("php.scan.$i", $i);
        $it = null; $seen = [];
        while ($keys = $r->scan($it, 'php.scan.*', 50)) foreach ($keys as $key) $seen[$key] = true;
        check('scan', count($seen) === 500);
        $pipe = $r->pipeline();
        for ($i = 0; $i < 1000; $i++) $pipe->get("php.scan." . $i % 500);
        $values = $pipe->exec();
        check('pipeline', count($values) === 1000 && $values[999] === '499');
        check('info', $r->info()['redis_version'] > '7');
        check('config', $r->config('GET', 'databases') === ['databases' => '16']);
        check('rawCommand', $r->rawCommand('DELPREFIX', 'php.scan.') === 500);
        check('unlink', $r->unlink('php.a', 'php.b', 'php.none') === 2);
        check('large', $r->set('php.large', str_repeat('x', 5000000)) && strlen($r->get('php.large')) === 5000000);
        check('flush', $r->flushDB() && $r->dbSize() === 0);
        check('persistent', (new Redis())->pconnect($argv[1]));
    """

    def test_phpredis(self):
        with Daemon() as d:
            run = subprocess.run(["php", "-r", self.SCRIPT, "--", d.path], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""))


class Restarts(unittest.TestCase):
    def test_no_write_is_acknowledged_while_an_old_lease_may_hold(self):
        with Daemon() as d:
            with d.connect() as c:
                c.call("SET", "k", "old")
            d.kill()
            killed = time.monotonic()
            d.start()
            with d.connect() as c, d.connect() as reader:
                c.send(encode("SET", "k", "new") + encode("GET", "k"))
                self.assertIsNone(reader.call("GET", "k"))
                self.assertEqual(c.read(), "OK")
                self.assertGreaterEqual(time.monotonic() - killed, 0.25)
                self.assertEqual(c.read(), b"new")

    def test_after_a_clean_end_nothing_waits(self):
        with Daemon() as d:
            d.stop()
            d.start()
            with d.connect() as c:
                self.assertEqual(c.call("SET", "k", "v"), "OK")
                self.assertNotIn("writes wait", d.log())

    def test_versions_go_on_upwards(self):
        with Daemon() as d:
            newest = 0
            for end in (d.stop, d.kill, d.kill, d.stop):
                with d.connect() as c:
                    for _ in range(3):
                        version = c.call("TSET", "k", 0, "v")
                        self.assertGreater(version, newest)
                        newest = version
                end()
                d.start()

    def test_snapshot_over_a_clean_end(self):
        with Daemon(start=False) as d:
            d.options = ["--snapshot", os.path.join(d.directory, "snapshot")]
            d.start()
            with d.connect() as c:
                c.call("MSET", "a", 1, "b", 2)
                c.call("SET", "t", "v", "PX", 100_000)
                c.call("TSET", "typed", 6, b"\x00\xff", "PX", 100_000, "STALE", 7000, "COST", 99, "TAGS", 2, "t1", "t2")
                c.call("SELECT", 3)
                c.call("SET", "other", "db")
            self.assertEqual(d.stop(), 0)
            self.assertEqual(stat.S_IMODE(os.stat(d.options[1]).st_mode), 0o600)
            d.start()
            with d.connect() as c:
                wait_until(lambda: c.call("PING") == "PONG")
                self.assertEqual(c.call("MGET", "a", "b", "t"), [b"1", b"2", b"v"])
                self.assertTrue(0 < c.call("PTTL", "t") <= 100_000)
                self.assertEqual(c.call("TGET", "typed")[:2], [6, b"\x00\xff"])
                self.assertEqual(c.call("TGET", "typed", "STALE")[4:], [7000, 99])
                self.assertEqual(c.call("TAGS", "typed"), [b"t1", b"t2"])
                c.call("SELECT", 3)
                self.assertEqual(c.call("GET", "other"), b"db")
                c.call("SELECT", 0)
                c.call("DEL", "a")
            # What was deleted since must not come back by a crash: the snapshot is used up.
            d.kill()
            d.start()
            with d.connect() as c:
                self.assertEqual(c.call("DBSIZE"), 0)

    def test_shutdown_without_saving(self):
        with Daemon(start=False) as d:
            d.options = ["--snapshot", os.path.join(d.directory, "snapshot")]
            d.start()
            with d.connect() as c:
                c.call("SET", "a", 1)
                c.send(encode("SHUTDOWN", "NOSAVE"))
                c.read_to_end()
            self.assertEqual(d.wait(), 0)
            self.assertFalse(os.path.exists(d.options[1]))

    def test_foreign_snapshot_is_kept_aside(self):
        with Daemon(start=False) as d:
            path = os.path.join(d.directory, "snapshot")
            with open(path, "wb") as f:
                f.write(b"this is not one of ours" * 100)
            d.options = ["--snapshot", path]
            d.start()
            with d.connect() as c:
                self.assertEqual(c.call("DBSIZE"), 0)
                self.assertEqual(c.call("SET", "a", 1), "OK")
            self.assertIn("snapshot rejected, starting empty", d.log())
            kept = [name for name in os.listdir(d.directory) if name.startswith("snapshot.")]
            self.assertEqual(len(kept), 1)

    def test_loading_is_said_until_it_is_done(self):
        with Daemon(start=False) as d:
            d.options = ["--snapshot", os.path.join(d.directory, "snapshot"), "--max-memory", "512M"]
            d.start()
            n = 300_000
            with d.connect() as c:
                for start in range(0, n, 1000):
                    c.send(encode("MSET", *(w for i in range(start, start + 1000) for w in ("k.%d" % i, "v"))))
                    c.read()
            self.assertEqual(d.stop(), 0)
            d.start()
            loading = RespError("LOADING Redis is loading the dataset in memory")
            said = 0
            with d.connect() as c:
                while True:
                    replies = [c.call("GET", "k.%d" % (n - 1)), c.call("DBSIZE")]
                    if replies[0] != loading:
                        break
                    said += 1
                self.assertGreater(said, 0)
                self.assertEqual(replies[0], b"v")
                self.assertEqual(c.call("DBSIZE"), n)

    def test_end_while_loading_loses_nothing(self):
        with Daemon(start=False) as d:
            d.options = ["--snapshot", os.path.join(d.directory, "snapshot"), "--max-memory", "512M"]
            d.start()
            n = 200_000
            with d.connect() as c:
                for start in range(0, n, 1000):
                    c.send(encode("MSET", *(w for i in range(start, start + 1000) for w in ("k.%d" % i, "v"))))
                    c.read()
            d.stop()
            d.start()
            self.assertEqual(d.stop(), 0)
            d.start()
            with d.connect() as c:
                wait_until(lambda: c.call("PING") == "PONG")
                self.assertEqual(c.call("DBSIZE"), n)


class Expiry(unittest.TestCase):
    def test_memory_comes_back_without_a_read(self):
        with Daemon() as d, d.connect() as c:
            for start in range(0, 50_000, 500):
                c.send(b"".join(encode("SET", "e.%d" % i, "v" * 100, "PX", 300) for i in range(start, start + 500)))
                for _ in range(500):
                    c.read()
            wait_until(lambda: c.call("DBSIZE") == 0)
            self.assertEqual(int(info(c)["expired_keys"]), 50_000)

    def test_flushed_memory_comes_back(self):
        with Daemon() as d, d.connect() as c:
            for start in range(0, 50_000, 1000):
                c.send(encode("MSET", *(w for i in range(start, start + 1000) for w in ("f.%d" % i, "v" * 100))))
                c.read()
            full = int(info(c)["used_memory"])
            self.assertEqual(c.call("FLUSHALL"), "OK")
            self.assertEqual(c.call("DBSIZE"), 0)
            wait_until(lambda: int(info(c)["used_memory"]) < full // 4)

    def test_prune(self):
        with Daemon() as d, d.connect() as c:
            c.send(b"".join(encode("TSET", "p.%d" % i, 0, "v", "PX", 1) for i in range(1000)))
            for _ in range(1000):
                c.read()
            time.sleep(0.005)
            removed = c.call("TPRUNE")
            self.assertGreaterEqual(removed, 0)
            self.assertEqual(c.call("DBSIZE"), 0)


if __name__ == "__main__":
    unittest.main()
