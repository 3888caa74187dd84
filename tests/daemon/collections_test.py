"""Hashes, sets and sorted sets on the real daemon: what a comparison with redis-server does not show."""

import tempfile
import os
import unittest

from harness import Daemon, RespError


def walk(connection, command, key, *options, during=lambda: None):
    """All that a scan shows, in the order in which it is shown."""
    found, cursor = [], "0"
    while True:
        cursor, items = connection.call(command, key, cursor, *options)
        found += items
        if cursor == b"0":
            return found
        during()


class CollectionsTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.__exit__)
        self.c = self.daemon.connect()
        self.addCleanup(self.c.close)

    def fill(self, key, n, value="v"):
        for start in range(0, n, 1000):
            pairs = [x for i in range(start, min(start + 1000, n)) for x in ("f%06d" % i, value)]
            self.c.call("HSET", key, *pairs)

    def test_a_scan_shows_all_that_stays_whatever_comes_and_goes(self):
        self.fill("h", 3000)
        state = {"n": 0}

        def change():
            state["n"] += 1
            self.c.call("HDEL", "h", "f%06d" % (state["n"] * 2 + 1), "f%06d" % (2999 - 2 * state["n"]))
            self.c.call("HSET", "h", "new%d" % state["n"], "x")

        shown = walk(self.c, "HSCAN", "h", "COUNT", 50, during=change)[::2]
        self.assertGreater(state["n"], 50)
        self.assertEqual(len(shown), len(set(shown)))
        for i in range(0, 3000, 2):
            self.assertIn(b"f%06d" % i, shown)

    def test_a_cursor_belongs_to_its_key(self):
        self.fill("h", 300)
        self.fill("other", 300)
        cursor = self.c.call("HSCAN", "h", 0)[0]
        for command in (("HSCAN", "other", cursor), ("SCAN", cursor), ("HSCAN", "h", 999999)):
            reply = self.c.call(*command)
            self.assertIsInstance(reply, RespError, command)
            self.assertIn("not known", reply.text)
        self.assertEqual(len(self.c.call("HSCAN", "h", cursor)[1]), 20)

    def test_a_long_answer_lets_others_in(self):
        self.fill("h", 200_000)
        self.c.send(b"*2\r\n$7\r\nHGETALL\r\n$1\r\nh\r\n")
        with self.daemon.connect() as other:
            for _ in range(20):
                self.assertEqual(other.call("PING"), "PONG")
        self.assertEqual(len(self.c.read()), 400_000)

    def test_copy_move_and_rename_of_a_large_collection(self):
        self.fill("h", 5000)
        self.c.call("EXPIRE", "h", 1000)
        self.assertEqual(self.c.call("COPY", "h", "copy"), 1)
        self.assertEqual(self.c.call("COPY", "h", "copy"), 0)
        self.assertEqual(self.c.call("RENAME", "h", "renamed"), "OK")
        self.assertEqual(self.c.call("MOVE", "renamed", 1), 1)
        self.assertEqual(self.c.call("HLEN", "copy"), 5000)
        self.assertGreater(self.c.call("TTL", "copy"), 900)
        self.c.call("SELECT", 1)
        self.assertEqual(self.c.call("HGET", "renamed", "f000777"), b"v")
        self.assertGreater(self.c.call("TTL", "renamed"), 900)
        self.assertEqual(self.c.call("DBSIZE"), 1)

    def test_values_and_collections_do_not_take_each_other_for_their_own(self):
        self.c.call("HSET", "h", "f", "v")
        wrong = "WRONGTYPE Operation against a key holding the wrong kind of value"
        for command in (("GET", "h"), ("STRLEN", "h"), ("APPEND", "h", "x"), ("GETRANGE", "h", 0, 1), ("GETDEL", "h"),
                        ("GETEX", "h"), ("GETSET", "h", "x"), ("SETRANGE", "h", 0, "x"), ("INCRBYFLOAT", "h", 1),
                        ("SET", "h", "x", "GET"), ("SET", "h", "x", "IFEQ", "v"), ("DELIFEQ", "h", "v"), ("TGET", "h"),
                        ("TPULL", "h"), ("SADD", "h", "m"), ("ZADD", "h", 1, "m")):
            self.assertEqual(self.c.call(*command), RespError(wrong), command)
        self.assertEqual(self.c.call("MGET", "h", "none"), [None, None])
        self.assertEqual(self.c.call("HGETALL", "h"), [b"f", b"v"])
        self.assertEqual(self.c.call("SET", "h", "x"), "OK")
        self.assertEqual(self.c.call("HGET", "h", "f"), RespError(wrong))

    def test_names_that_are_too_long_are_refused(self):
        self.assertEqual(self.c.call("HSET", "h", "n" * 4079, "v"), 1)
        reply = self.c.call("HSET", "h", "a", "v", "n" * 4080, "v")
        self.assertEqual(reply, RespError("ERR the field or member is longer than 4079 bytes"))
        self.assertEqual(self.c.call("HLEN", "h"), 1)

    def test_a_watched_collection_that_changes_stops_exec(self):
        self.fill("h", 300)
        with self.daemon.connect() as other:
            self.c.call("WATCH", "h")
            other.call("HSET", "h", "f000001", "changed")
            self.c.call("MULTI")
            self.c.call("HGET", "h", "f000001")
            self.assertIsNone(self.c.call("EXEC"))

    def test_a_stop_and_a_start_keep_collections(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "snapshot")
            with Daemon("--snapshot", path) as daemon:
                with daemon.connect() as c:
                    c.call("ZADD", "z", *[x for i in range(1000) for x in (i / 4, "m%d" % i)])
                    c.call("SADD", "s", "a", "b")
                    c.call("EXPIRE", "z", 5000)
                daemon.stop()
                daemon.start()
                with daemon.connect() as c:
                    self.assertEqual(c.call("ZRANGE", "z", 998, -1, "WITHSCORES"), [b"m998", b"249.5", b"m999", b"249.75"])
                    self.assertEqual(c.call("ZCARD", "z"), 1000)
                    self.assertGreater(c.call("TTL", "z"), 4900)
                    self.assertEqual(c.call("SMEMBERS", "s"), [b"a", b"b"])


if __name__ == "__main__":
    unittest.main()
