"""Subscriptions and messages over real sockets; what goes over the wire is compared with redis-server's."""

import shutil
import unittest

from harness import Closed, Daemon, Redis, RespError, encode


def run_script(server, protocols, steps):
    """Runs the steps, each a client's number and its command's words, and answers what each client got, as bytes.

    A client's replies are known to be complete when it has answered a PING that follows the last step; the marker is
    cut off again."""
    clients = [server.connect() for _ in protocols]
    got = [b""] * len(clients)

    def settle(i):
        clients[i].send(encode("PING", "settled"))
        while not clients[i].buffer.endswith(b"settled\r\n"):
            clients[i]._fill()

    try:
        for i, protocol in enumerate(protocols):
            if protocol == 3:
                clients[i].call("HELLO", 3)
        for i, *words in steps:
            clients[i].send(encode(*words))
            settle(i)
            for j in range(len(clients)):
                if j != i:
                    settle(j)
        for i, client in enumerate(clients):
            got[i] = client.buffer
        return got
    finally:
        for client in clients:
            client.close()


@unittest.skipUnless(shutil.which("redis-server"), "no redis-server to compare with")
class Parity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.redis = Redis()
        cls.addClassCleanup(cls.redis.__exit__)

    def same(self, steps, clients=2):
        for protocol in (2, 3):
            protocols = [protocol] * clients
            with self.subTest(protocol=protocol):
                ours, theirs = (run_script(s, protocols, steps) for s in (self.daemon, self.redis))
                self.assertEqual(ours, theirs)

    def test_messages(self):
        self.same([(0, "SUBSCRIBE", "news", "other", "news"), (1, "PUBLISH", "news", "one"),
                   (1, "publish", b"\xff\x00\r\n", "nobody"), (1, "PUBLISH", "other", ""),
                   (0, "UNSUBSCRIBE", "news"), (1, "PUBLISH", "news", "two"), (1, "PUBLISH", "other", "three"),
                   (0, "UNSUBSCRIBE", "never"), (0, "UNSUBSCRIBE"), (0, "UNSUBSCRIBE"), (0, "GET", "k")])

    def test_patterns(self):
        self.same([(0, "PSUBSCRIBE", "n*", "n?ws"), (0, "SUBSCRIBE", "news"), (1, "PUBLISH", "news", "thrice"),
                   (1, "PUBLISH", "noise", "once"), (1, "PUBSUB", "NUMPAT"), (0, "PUNSUBSCRIBE", "n*"),
                   (1, "PUBLISH", "news", "twice"), (0, "PUNSUBSCRIBE"), (0, "PUNSUBSCRIBE"),
                   (0, "UNSUBSCRIBE"), (0, "ECHO", "free")])

    def test_shard_channels(self):
        self.same([(0, "SSUBSCRIBE", "a", "b"), (1, "SPUBLISH", "a", "1"), (1, "PUBLISH", "a", "not this"),
                   (1, "PUBSUB", "SHARDCHANNELS", "a*"), (1, "PUBSUB", "SHARDNUMSUB", "a", "x"), (1, "PUBSUB", "CHANNELS"),
                   (0, "SUNSUBSCRIBE", "a"), (0, "SUNSUBSCRIBE"), (0, "SUNSUBSCRIBE")])

    def test_figures(self):
        self.same([(1, "PUBSUB", "CHANNELS"), (0, "SUBSCRIBE", "one"), (1, "PUBSUB", "CHANNELS"),
                   (1, "PUBSUB", "CHANNELS", "o?e"), (1, "PUBSUB", "CHANNELS", "x*"),
                   (1, "PUBSUB", "NUMSUB"), (1, "PUBSUB", "NUMSUB", "one", "two"), (1, "PUBSUB", "NUMPAT"),
                   (1, "PUBSUB", "CHANNELS", "a", "b"), (1, "PUBSUB", "NUMPAT", "x"), (1, "PUBSUB"),
                   (1, "PUBSUB", "zz"), (1, "SUBSCRIBE"), (1, "PUBLISH", "a")])

    def test_what_a_subscriber_may_send(self):
        self.same([(0, "SUBSCRIBE", "a"), (0, "GET", "k"), (0, "CLIENT", "ID", "x"), (0, "PING"), (0, "PING", "text"),
                   (0, "PING", "too", "many"), (0, "nosuch"), (0, "MULTI"), (0, "UNSUBSCRIBE"), (0, "MULTI"),
                   (0, "SUBSCRIBE", "b"), (0, "EXEC")])

    def test_reset_ends_subscriptions(self):
        self.same([(0, "SUBSCRIBE", "a"), (0, "PSUBSCRIBE", "b*"), (0, "SSUBSCRIBE", "c"), (0, "RESET"),
                   (1, "PUBLISH", "a", "1"), (1, "PUBLISH", "b", "1"), (1, "SPUBLISH", "c", "1"), (0, "ECHO", "free")])

    def test_in_transactions(self):
        self.same([(0, "SUBSCRIBE", "a"), (1, "MULTI"), (1, "PUBLISH", "a", "1"), (1, "PUBLISH", "a", "2"), (1, "EXEC")])


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)

    def test_a_message_to_oneself_comes_behind_the_reply(self):
        with self.daemon.connect() as c:
            c.call("HELLO", 3)
            c.call("SUBSCRIBE", "own")
            self.assertEqual(c.call("PUBLISH", "own", "x"), 1)
            self.assertEqual(c.read(), [b"message", b"own", b"x"])
            c.call("MULTI")
            c.call("PUBLISH", "own", "a")
            c.call("PUBLISH", "own", "b")
            self.assertEqual(c.call("EXEC"), [1, 1])
            self.assertEqual([c.read(), c.read()], [[b"message", b"own", b"a"], [b"message", b"own", b"b"]])
            c.send(b"CLIENT REPLY SKIP\r\nPUBLISH own c\r\nPING\r\n")
            self.assertEqual([c.read(), c.read()], [[b"message", b"own", b"c"], "PONG"])

    def test_who_goes_is_forgotten(self):
        with self.daemon.connect() as a, self.daemon.connect() as b:
            a.call("SUBSCRIBE", "gone")
            a.call("PSUBSCRIBE", "gon*")
            self.assertEqual(b.call("CLIENT", "KILL", "SKIPME", "yes"), 1)
            self.assertRaises(Closed, a.read)
            self.assertEqual(b.call("PUBLISH", "gone", "x"), 0)
            self.assertEqual(b.call("PUBSUB", "CHANNELS"), [])
            self.assertEqual(b.call("PUBSUB", "NUMPAT"), 0)

    def test_many_subscribers(self):
        clients = [self.daemon.connect() for _ in range(200)]
        with self.daemon.connect() as c:
            for i, client in enumerate(clients):
                client.call("SUBSCRIBE", "all")
                client.call("SUBSCRIBE", "own.%d" % i)
            self.assertEqual(c.call("PUBLISH", "all", "x" * 1000), 200)
            self.assertEqual(c.call("PUBLISH", "own.7", "y"), 1)
            for client in clients:
                self.assertEqual(client.read(), [b"message", b"all", b"x" * 1000])
            self.assertEqual(clients[7].read(), [b"message", b"own.7", b"y"])
        for client in clients:
            client.close()

    def test_subscriptions_are_bounded(self):
        with self.daemon.connect() as c:
            c.call("HELLO", 3)
            long = b"x" * (1 << 20)
            for i in range(63):
                c.call("SUBSCRIBE", b"%d" % i + long)
            answer = c.call("SUBSCRIBE", b"last" + long + long)
            self.assertEqual(answer, RespError("ERR the client's subscriptions would take more than 67108864 bytes"))
            c.send(encode("UNSUBSCRIBE"))
            for _ in range(63):
                c.read()
            self.assertEqual(c.call("SUBSCRIBE", b"last" + long + long)[2], 1)

    def test_one_that_does_not_read_is_closed_and_holds_up_nobody(self):
        with self.daemon.connect() as slow, self.daemon.connect() as quick, self.daemon.connect() as c:
            slow.call("SUBSCRIBE", "flood")
            quick.call("SUBSCRIBE", "flood")
            receivers = []
            message = "m" * (1 << 20)
            for _ in range(40):
                receivers.append(c.call("PUBLISH", "flood", message))
                self.assertEqual(quick.read()[2], message.encode())
            self.assertEqual(receivers[0], 2)
            self.assertEqual(receivers[-1], 1)
            self.assertEqual(c.call("PUBSUB", "NUMSUB", "flood"), [b"flood", 1])
            self.assertIn("bytes of replies unread", self.daemon.log())


if __name__ == "__main__":
    unittest.main()
