"""Keyspace notifications over real sockets; the wire is compared with redis-server's."""

import shutil
import unittest

from harness import Daemon, Redis, RespError, encode, info


def events_of(server, letters, commands):
    """What a subscriber of everything is told, by command."""
    with server.connect() as c, server.connect() as subscriber, server.connect() as marker:
        c.call("FLUSHALL")
        assert c.call("CONFIG", "SET", "notify-keyspace-events", letters) == "OK"
        subscriber.call("HELLO", 3)
        subscriber.call("PSUBSCRIBE", "__key*@*__:*")
        told = []
        for words in commands:
            c.call(*words)
            marker.call("PUBLISH", "__key@__:end", "")
            events = []
            while True:
                kind, pattern, channel, text = subscriber.read()
                if channel == b"__key@__:end":
                    break
                events.append((channel, text))
            told.append((words, events))
        c.call("CONFIG", "SET", "notify-keyspace-events", "")
        return told


COMMANDS = [
    ("SET", "a", 1), ("SET", "a", 2, "EX", 100), ("SET", "a", 3, "KEEPTTL"), ("SET", "a", 4, "GET"),
    ("SET", "a", 4, "NX"), ("SET", "missing", 4, "XX"), ("SETEX", "b", 100, "x"), ("PSETEX", "b", 100_000, "x"),
    ("SETNX", "b", 1), ("SETNX", "c", 1), ("MSET", "a", 1, "d", 2), ("MSETNX", "e", 1, "f", 2), ("MSETNX", "e", 1, "g", 2),
    ("GETSET", "a", "x"), ("APPEND", "a", "y"), ("APPEND", "new", "y"), ("SETRANGE", "a", 3, "z"), ("SETRANGE", "a", 3, ""),
    ("INCR", "n"), ("INCR", "n"), ("DECR", "n"), ("INCRBY", "n", 5), ("DECRBY", "n", 5), ("INCRBYFLOAT", "n", "0.5"),
    ("INCR", "a"), ("EXPIRE", "a", 100), ("EXPIRE", "a", 200, "NX"), ("PEXPIRE", "a", 100_000), ("EXPIREAT", "a", 4_000_000_000),
    ("PERSIST", "a"), ("PERSIST", "a"), ("EXPIRE", "missing", 5), ("EXPIRE", "b", -1), ("GETEX", "a"), ("GETEX", "a", "EX", 100),
    ("GETEX", "a", "PERSIST"), ("GETDEL", "c"), ("DEL", "d", "missing", "e"), ("UNLINK", "f"), ("DEL", "missing"),
    ("RENAME", "a", "z"), ("RENAME", "z", "n"), ("RENAME", "n", "n"), ("RENAMENX", "n", "a"), ("SET", "n", 1),
    ("RENAMENX", "n", "a"), ("COPY", "a", "copy"), ("COPY", "a", "other", "DB", 3), ("MOVE", "a", 5), ("MOVE", "a", 5),
    ("SELECT", 5), ("SET", "x", b"\xff\r\n"), (b"SET", b"\x00k", 1), ("SWAPDB", 5, 0), ("FLUSHDB",), ("FLUSHALL",),
    ("MULTI",), ("SET", "k", 1), ("INCR", "k"), ("EXEC",), ("GET", "k"),
]
MISSES = [("GET", "no"), ("MGET", "no", "k", "nor"), ("SET", "k", 1), ("SET", "k", 2), ("EXISTS", "k", "no"), ("TTL", "no"),
          ("STRLEN", "no"), ("TYPE", "no"), ("OBJECT", "ENCODING", "no"), ("TOUCH", "no"), ("GET", "k"), ("RENAME", "k", "j"),
          ("COPY", "j", "l"), ("MOVE", "l", 3), ("INCR", "n"), ("DEL", "no")]


@unittest.skipUnless(shutil.which("redis-server"), "no redis-server to compare with")
class Parity(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.redis = Redis()
        cls.addClassCleanup(cls.redis.__exit__)

    def same(self, letters, commands):
        for ours, theirs in zip(*(events_of(s, letters, commands) for s in (self.daemon, self.redis))):
            self.assertEqual(ours, theirs)

    def test_all_events(self):
        self.same("KEA", COMMANDS)

    def test_classes(self):
        for letters in ("Kg", "E$", "KE$", "Eg", "A", "Kx"):
            with self.subTest(letters=letters):
                self.same(letters, COMMANDS)

    def test_misses_and_new_keys(self):
        self.same("KEm", MISSES)
        self.same("En", MISSES)

    def test_the_setting(self):
        for letters in ("KEA", "KEAm", "KEn", "xKg", "", "Kz", "KEg$lshzxetd", "q", "KEq"):
            answers = []
            for server in (self.daemon, self.redis):
                with server.connect() as c:
                    answers.append((c.call("CONFIG", "SET", "notify-keyspace-events", letters),
                                    c.call("CONFIG", "GET", "notify-keyspace-events")))
            self.assertEqual(*answers)

    def test_output_limits(self):
        name = "client-output-buffer-limit"
        for value in ("normal a 0 0", "foo 1 2 3", "normal 1 2 -3", "normal 10mb 1k 5 pubsub 0 0 0", "normal 1 2 3 4", "",
                      "pubsub 33554432 8388608 60 normal 0 0 0", "slave 1 2 3", "replica 268435456 67108864 60"):
            answers = []
            for server in (self.daemon, self.redis):
                with server.connect() as c:
                    answers.append((c.call("CONFIG", "SET", name, value), c.call("CONFIG", "GET", name)))
            if value.startswith("normal a"):  # what it was before differs: we have a limit
                answers = [answer[0] for answer in answers]
            elif isinstance(answers[0][0], RespError):
                answers = [answer[0] for answer in answers]
            self.assertEqual(*answers)


class Notifications(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "8M")
        cls.addClassCleanup(cls.daemon.__exit__)

    def told(self, letters, *commands):
        return [events for _, events in events_of(self.daemon, letters, commands)]

    def test_own_commands(self):
        keys = [("SET", "shop.1", 1, "TAGS", 1, "red"), ("SET", "shop.2", 1, "TAGS", 1, "red")]
        told = self.told("KEA", *keys, ("DELPREFIX", "shop."), ("TSET", "t", 0, "v", "PX", 100_000), ("TINCR", "n", 1, 0, -1),
                         ("TTOUCH", "t", 1000), ("TTOUCH", "t", -1), ("TPULL", "t"), ("DELIFEQ", "n", 1))
        self.assertEqual(told[2], [(b"__keyspace@0__:shop.", b"delprefix"), (b"__keyevent@0__:delprefix", b"shop.")])
        self.assertEqual([[text for channel, text in events if channel.startswith(b"__keyspace")] for events in told[3:]],
                         [[b"set", b"expire"], [b"incrby"], [b"expire"], [b"persist"], [b"del"], [b"del"]])

    def test_expiry(self):
        with self.daemon.connect() as c, self.daemon.connect() as subscriber:
            c.call("CONFIG", "SET", "notify-keyspace-events", "Ex")
            subscriber.call("SUBSCRIBE", "__keyevent@0__:expired", "__keyevent@3__:expired")
            subscriber.read()
            c.call("SET", "a", 1, "PX", 20)
            self.assertEqual(subscriber.read(), [b"message", b"__keyevent@0__:expired", b"a"])
            c.call("SELECT", 3)
            c.call("SET", "b", 1, "PX", 20)
            self.assertEqual(subscriber.read(), [b"message", b"__keyevent@3__:expired", b"b"])
            c.call("CONFIG", "SET", "notify-keyspace-events", "")

    def test_eviction(self):
        with self.daemon.connect() as c, self.daemon.connect() as subscriber:
            c.call("FLUSHALL")
            before = int(info(c, "stats")["evicted_keys"])
            c.call("CONFIG", "SET", "notify-keyspace-events", "Ee")
            subscriber.call("SUBSCRIBE", "__keyevent@0__:evicted", "end")
            subscriber.read()
            for i in range(0, 120_000, 500):
                c.call("MSET", *[w for j in range(i, i + 500) for w in ("key%d" % j, "v" * 50)])
            evicted = int(info(c, "stats")["evicted_keys"]) - before
            self.assertGreater(evicted, 0)
            c.call("CONFIG", "SET", "notify-keyspace-events", "")
            c.call("PUBLISH", "end", "")
            for _ in range(evicted):
                self.assertEqual(subscriber.read()[1], b"__keyevent@0__:evicted")
            self.assertEqual(subscriber.read()[1], b"end")

    def test_nothing_is_told_unless_asked_for(self):
        with self.daemon.connect() as c, self.daemon.connect() as subscriber:
            subscriber.call("PSUBSCRIBE", "*")
            c.call("SET", "k", 1)
            c.call("DEL", "k")
            c.call("PUBLISH", "end", "")
            self.assertEqual(subscriber.read()[2], b"end")


class OutputLimits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)

    def flood(self, c, channel, message, until):
        """Publishes until `until` says so."""
        for _ in range(1_000_000):
            c.call("PUBLISH", channel, message)
            if until():
                return
        self.fail("nobody was closed")

    def test_hard_of_subscribers(self):
        with self.daemon.connect() as c, self.daemon.connect() as slow:
            c.call("CONFIG", "SET", "client-output-buffer-limit", "pubsub 1mb 0 0")
            slow.call("SUBSCRIBE", "a")
            self.flood(c, "a", "x" * 100_000, lambda: c.call("PUBSUB", "NUMSUB", "a")[1] == 0)

    def test_soft_of_subscribers(self):
        with self.daemon.connect() as c, self.daemon.connect() as slow:
            c.call("CONFIG", "SET", "client-output-buffer-limit", "pubsub 0 100k 1")
            slow.call("SUBSCRIBE", "b")
            for _ in range(20):
                c.call("PUBLISH", "b", "x" * 100_000)
            self.assertEqual(c.call("PUBSUB", "NUMSUB", "b"), [b"b", 1])
            self.flood(c, "b", "x", lambda: c.call("PUBSUB", "NUMSUB", "b")[1] == 0)

    def test_hard_of_others(self):
        with self.daemon.connect() as c, self.daemon.connect() as slow:
            c.call("CONFIG", "SET", "client-output-buffer-limit", "normal 2mb 0 0")
            slow.call("CLIENT", "SETNAME", "slow")
            c.call("SET", "k", "x" * 1_000_000)
            slow.send(encode("GET", "k") * 20)
            while b"name=slow" in c.call("CLIENT", "LIST"):
                pass
            self.assertIn("bytes of replies unread", self.daemon.log())


if __name__ == "__main__":
    unittest.main()
