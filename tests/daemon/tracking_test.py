"""Client-side caching: what tracking clients are told, over real sockets; and the wire beside redis-server's."""

import itertools
import shutil
import unittest

from harness import Closed, Daemon, Redis, RespError, encode


def settled(client, counter=itertools.count()):
    """What the client got until it answers a PING that is sent now."""
    marker = b"settled %06d" % next(counter)
    client.send(encode("PING", marker))
    end = b"$%d\r\n%s\r\n" % (len(marker), marker)
    while end not in client.buffer:
        client._fill()
    got, client.buffer = client.buffer.split(end, 1)
    # To a RESP2 client that subscribes it answers with two words.
    return got[:-len(b"*2\r\n$4\r\npong\r\n")] if got.endswith(b"*2\r\n$4\r\npong\r\n") else got


def run_script(server, protocols, steps):
    """Runs the steps, each a client's number and its command's words, and answers what each client got by each.

    A step may have several commands, each a list; a word (n,) stands for the number of client n. All clients are asked twice: a message that the loop was about to
    send when the first answer came is there with the second."""
    clients = [server.connect() for _ in protocols]
    try:
        clients[0].call("FLUSHALL")
        for client, protocol in zip(clients, protocols):
            if protocol == 3:
                client.call("HELLO", 3)
        ids = [client.call("CLIENT", "ID") for client in clients]
        got = []
        for i, *words in steps:
            commands = words if isinstance(words[0], list) else [words]
            clients[i].send(b"".join(encode(*[ids[w[0]] if isinstance(w, tuple) else w for w in c]) for c in commands))
            first = [b""] * len(clients)
            order = [i] + [j for j in range(len(clients)) if j != i]
            for _ in range(2):
                for j in order:
                    first[j] += settled(clients[j])
            got.append((steps[len(got)], first))
        return got
    finally:
        for client in clients:
            client.close()


@unittest.skipUnless(shutil.which("redis-server"), "no redis-server to compare with")
class Parity(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.redis = Redis()
        cls.addClassCleanup(cls.redis.__exit__)

    def same(self, steps, protocols=((3, 3),)):
        for each in protocols:
            with self.subTest(protocols=each):
                self.assertEqual(run_script(self.daemon, each, steps), run_script(self.redis, each, steps))

    def test_what_was_read_is_told_once(self):
        self.same([(0, "CLIENT", "TRACKING", "ON"), (0, "GET", "k"), (1, "SET", "k", "1"), (1, "SET", "k", "2"),
                   (0, "GET", "k"), (0, "SET", "k", "3"), (0, "MGET", "a", "b"), (1, "SET", "b", "1"), (0, "GET", "b"),
                   (1, "EXPIRE", "b", 100), (0, "TTL", "b"), (1, "PERSIST", "b"), (0, "STRLEN", "b"), (1, "DEL", "b"),
                   (0, "GET", "b"), (1, "DEL", "b"), (1, "APPEND", "b", "x"), (0, "EXISTS", "b"), (1, "RENAME", "b", "c"),
                   (0, "CLIENT", "TRACKING", "OFF"), (0, "GET", "c"), (1, "SET", "c", 1)])

    def test_a_flush_is_a_null_message(self):
        self.same([(0, "CLIENT", "TRACKING", "ON"), (1, "SET", "k", 1), (0, "GET", "k"), (1, "FLUSHDB"), (1, "SET", "k", 2),
                   (0, "FLUSHALL"), (0, "GET", "k")])

    def test_noloop(self):
        self.same([(0, "CLIENT", "TRACKING", "ON", "NOLOOP"), (0, "GET", "k"), (0, "SET", "k", 1), (0, "GET", "k"),
                   (1, "SET", "k", 2), (0, "CLIENT", "TRACKINGINFO")])

    def test_optin(self):
        self.same([(0, "CLIENT", "TRACKING", "ON", "OPTIN"), (0, "GET", "k"), (1, "SET", "k", 1),
                   (0, ["CLIENT", "CACHING", "YES"], ["CLIENT", "TRACKINGINFO"], ["GET", "k"], ["GET", "j"]),
                   (1, "SET", "j", 1), (1, "SET", "k", 2),
                   (0, ["CLIENT", "CACHING", "YES"], ["MULTI"], ["GET", "k"], ["GET", "j"], ["EXEC"]), (1, "SET", "k", 3), (1, "SET", "j", 3), (0, "CLIENT", "CACHING", "NO"),
                   (0, "CLIENT", "TRACKING", "ON", "OPTOUT")])

    def test_optout(self):
        self.same([(0, "CLIENT", "TRACKING", "ON", "OPTOUT"), (0, "GET", "k"), (1, "SET", "k", 1),
                   (0, ["CLIENT", "CACHING", "NO"], ["CLIENT", "TRACKINGINFO"], ["GET", "k"]), (1, "SET", "k", 2),
                   (0, "GET", "k"), (1, "SET", "k", 3), (0, "CLIENT", "CACHING", "YES"),
                   (0, "CLIENT", "TRACKING", "ON", "OPTIN")])

    def test_bcast(self):
        self.same([(0, "CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "a.", "PREFIX", "b."), (1, "SET", "a.1", 1),
                   (1, "MSET", "a.1", 1, "a.2", 2, "c", 1), (0, "SET", "a.3", 1), (0, "CLIENT", "TRACKINGINFO"),
                   (0, "CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "c"), (1, "SET", "c", 2), (1, "DEL", "nothing", "c"),
                   (0, "CLIENT", "TRACKING", "ON"), (1, "FLUSHALL"), (0, "CLIENT", "TRACKING", "OFF"), (1, "SET", "a.1", 1),
                   (0, "CLIENT", "TRACKING", "ON", "BCAST", "NOLOOP"), (0, "SET", "x", 1), (1, "SET", "x", 1)])

    def test_redirect(self):
        self.same([(1, "SUBSCRIBE", "__redis__:invalidate"), (0, "CLIENT", "TRACKING", "ON", "REDIRECT", (1,)),
                   (0, "GET", "k"), (0, "SET", "k", 2), (0, "GET", "k"), (0, "DEL", "k"), (1, "UNSUBSCRIBE")],
                  ((2, 2), (3, 2), (2, 3), (3, 3)))

    def test_errors(self):
        on = ("CLIENT", "TRACKING", "ON")
        self.same([(0, *on, "REDIRECT", "abc"), (0, *on, "REDIRECT", "99999999"), (0, *on, "REDIRECT"),
                   (0, *on, "REDIRECT", (0,), "REDIRECT", (0,)), (0, *on, "REDIRECT", "-1"), (0, "CLIENT", "TRACKING", "foo"),
                   (0, *on, "foo"), (0, "CLIENT", "TRACKING"), (0, *on, "PREFIX", "a"), (0, *on, "BCAST", "OPTIN"),
                   (0, *on, "OPTIN", "OPTOUT"), (0, *on, "BCAST", "PREFIX", "a", "PREFIX", "ab"),
                   (0, *on, "BCAST", "PREFIX", "ab", "PREFIX", "a"), (0, "CLIENT", "CACHING", "YES"),
                   (0, "CLIENT", "CACHING", "maybe"), (0, "CLIENT", "TRACKINGINFO"), (0, "CLIENT", "GETREDIR"),
                   (0, *on, "BCAST", "PREFIX", "a"), (0, *on, "BCAST", "PREFIX", "ab"), (0, "CLIENT", "GETREDIR"),
                   (0, "CLIENT", "CACHING", "YES"), (0, *on), (0, "CLIENT", "CACHING", "NO"),
                   (0, "CLIENT", "CACHING", "x"), (0, "CLIENT", "TRACKING", "OFF", "foo")])

    def test_a_redirection_that_breaks(self):
        for server in (self.daemon, self.redis):
            with server.connect() as a, server.connect() as b:
                a.call("HELLO", 3)
                number = b.call("CLIENT", "ID")
                a.call("CLIENT", "TRACKING", "ON", "REDIRECT", number)
                a.call("GET", "k")
                b.call("QUIT")
                self.assertRaises(Closed, b.read)
                a.call("SET", "k", 1)
                self.assertEqual(a.read(), [b"tracking-redir-broken", number])
                self.assertIn(b"broken_redirect", a.call("CLIENT", "TRACKINGINFO")[b"flags"])


class Tracking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "16M")
        cls.addClassCleanup(cls.daemon.__exit__)

    def tracker(self, *options):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        client.call("HELLO", 3)
        self.assertEqual(client.call("CLIENT", "TRACKING", "ON", *options), "OK")
        return client

    def writer(self):
        client = self.daemon.connect()
        self.addCleanup(client.close)
        client.call("FLUSHALL")
        return client

    def fill(self, client, prefix, n):
        for i in range(0, n, 500):
            client.call("MSET", *[w for j in range(i, min(i + 500, n)) for w in ("%s%06d" % (prefix, j), "v")])

    def test_one_message_a_turn_without_doubles(self):
        w, c = self.writer(), self.tracker()
        c.call("MGET", "a", "b", "c")
        w.call("MSET", "c", 1, "a", 1, "b", 1, "a", 2)
        self.assertEqual(c.read(), [b"invalidate", [b"a", b"b", b"c"]])

    def test_own_writes_come_behind_the_reply(self):
        self.writer()
        c = self.tracker("BCAST")
        c.send(encode("SET", "a", 1) + encode("MULTI") + encode("SET", "b", 1) + encode("GET", "b") + encode("EXEC"))
        self.assertEqual([c.read() for _ in range(5)], ["OK", "OK", "QUEUED", "QUEUED", ["OK", b"1"]])
        self.assertEqual(c.read(), [b"invalidate", [b"a", b"b"]])

    def test_who_writes_by_itself_and_wants_no_word_of_it_is_still_told_of_others(self):
        w, c = self.writer(), self.tracker("NOLOOP")
        c.call("GET", "k")
        c.call("SET", "k", "own")
        w.call("SET", "k", "other")
        self.assertEqual(c.read(), [b"invalidate", [b"k"]])

    def test_expiry(self):
        w, c, b = self.writer(), self.tracker(), self.tracker("BCAST", "PREFIX", "t")
        w.call("SET", "timed", "v", "PX", 30)
        self.assertEqual(b.read(), [b"invalidate", [b"timed"]])
        c.call("GET", "timed")
        self.assertEqual(c.read(), [b"invalidate", [b"timed"]])
        self.assertEqual(b.read(), [b"invalidate", [b"timed"]])

    def test_eviction(self):
        w, c = self.writer(), self.tracker()
        w.call("SET", "victim", "v")
        c.call("GET", "victim")
        w.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
        self.addCleanup(w.call, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        n = 0
        while w.call("EXISTS", "victim"):
            self.fill(w, "filler%d." % n, 20_000)
            n += 1
        self.assertEqual(c.read(), [b"invalidate", [b"victim"]])

    def test_typed_reads_and_writes(self):
        w, c = self.writer(), self.tracker()
        c.call("TGET", "k")
        w.call("TSET", "k", 0, "v")
        self.assertEqual(c.read(), [b"invalidate", [b"k"]])

    def test_a_small_removal_names_its_keys(self):
        for command in (("DELPREFIX", "user.1."), ("DELTAG", "red")):
            with self.subTest(command=command):
                w, c, b = self.writer(), self.tracker(), self.tracker("BCAST", "PREFIX", "user.")
                for key in ("user.1.a", "user.1.b", "user.2.a"):
                    tags = ("TAGS", 1, "red" if key.startswith("user.1") else "blue")
                    w.call("SET", key, "v", *tags)
                settled(b)
                c.call("MGET", "user.1.a", "user.2.a")
                self.assertEqual(w.call(*command), 2)
                self.assertEqual(c.read(), [b"invalidate", [b"user.1.a"]])
                self.assertEqual(b.read(), [b"invalidate", [b"user.1.a", b"user.1.b"]])
                self.assertEqual(settled(c), b"")

    def test_a_large_removal_is_a_null_message_to_those_whom_it_concerns(self):
        w = self.writer()
        few, many, other = self.tracker(), self.tracker(), self.tracker()
        branch, elsewhere = self.tracker("BCAST", "PREFIX", "big.0"), self.tracker("BCAST", "PREFIX", "small.")
        self.fill(w, "big.", 5000)
        w.call("SET", "small.", "v")
        for client in (branch, elsewhere):
            settled(client)
        few.call("GET", "big.000001")
        other.call("GET", "small.")
        self.assertEqual(w.call("DELPREFIX", "big."), 5000)
        self.assertEqual(few.read(), [b"invalidate", [b"big.000001"]])
        self.assertEqual(branch.read(), [b"invalidate", None])
        for client in (many, other, elsewhere):
            self.assertEqual(settled(client), b"")
        # Nor does one that has read much of it get all the names.
        self.fill(w, "big.", 5000)
        settled(branch)
        for i in range(0, 5000, 500):
            many.call("MGET", *["big.%06d" % j for j in range(i, i + 500)])
        self.assertEqual(w.call("DELPREFIX", "big."), 5000)
        self.assertEqual(many.read(), [b"invalidate", None])

    def test_those_who_take_prefixes_get_one(self):
        w = self.writer()
        own, branch = self.tracker("RANGES"), self.tracker("BCAST", "PREFIX", "big.", "RANGES")
        self.assertIn(b"ranges", own.call("CLIENT", "TRACKINGINFO")[b"flags"])
        self.fill(w, "big.", 5000)
        settled(branch)
        for i in range(0, 5000, 500):
            own.call("MGET", *["big.%06d" % j for j in range(i, i + 500)])
        self.assertEqual(w.call("DELPREFIX", "big.0"), 5000)
        for client in (own, branch):
            self.assertEqual(client.read(), [b"invalidate-prefix", [b"big.0"]])
            self.assertEqual(settled(client), b"")

    def test_what_is_read_while_a_removal_runs_is_told_when_it_is_done(self):
        w, c = self.writer(), self.tracker()
        self.fill(w, "big.", 60_000)
        c.call("GET", "big.059999")
        w.send(encode("DELPREFIX", "big."))
        # As long as the old value is there to be read, it is not told: it would be read again.
        told = None
        while told is None:
            c.send(encode("GET", "big.059999"))
            got = c.read()
            if isinstance(got, list):
                told = got
                c.read()
        self.assertEqual(told, [b"invalidate", [b"big.059999"]])
        self.assertIsNone(c.call("GET", "big.059999"))
        self.assertEqual(w.read(), 60_000)

    def test_many_keys_at_once_are_a_null_message(self):
        w, b = self.writer(), self.tracker("BCAST")
        w.send(encode("MULTI") + b"".join(encode("SET", "k%d" % i, 1) for i in range(3000)) + encode("EXEC"))
        self.assertEqual(b.read(), [b"invalidate", None])

    def test_the_table_is_bounded(self):
        with Daemon("--max-memory", "16M") as daemon, daemon.connect() as c:
            c.call("HELLO", 3)
            c.call("CLIENT", "TRACKING", "ON")
            c.call("CONFIG", "SET", "tracking-table-max-keys", 10)
            told = []
            for i in range(15):
                self.assertIsNone(c.call("GET", "k%02d" % i))
                if i >= 10:
                    told += c.read()[1]
            self.assertEqual(told, [b"k%02d" % i for i in range(5)])

    def test_a_lost_message_is_made_up_for(self):
        w = self.writer()
        target = self.daemon.connect()
        self.addCleanup(target.close)
        number = target.call("CLIENT", "ID")
        c = self.tracker("REDIRECT", number)
        c.call("GET", "k")
        w.call("SET", "k", 1)  # the target has not subscribed: nobody is told
        c.call("PING")
        target.call("SUBSCRIBE", "__redis__:invalidate")
        c.call("PING")
        self.assertEqual(target.read(), [b"message", b"__redis__:invalidate", None])

    def test_in_a_long_job_messages_wait_for_the_reply(self):
        w, c = self.writer(), self.tracker("BCAST", "PREFIX", "other")
        self.fill(w, "many.", 20_000)
        c.send(encode("KEYS", "*9*"))
        for i in range(20):
            w.call("SET", "other%d" % i, "v")
        self.assertGreater(len(c.read()), 1000)
        self.assertEqual(c.read()[0], b"invalidate")

    def test_a_user_of_one_branch_does_not_learn_the_names_of_others(self):
        w = self.writer()
        w.call("ACL", "SETUSER", "shop", "on", ">pw", "+@all", "~shop.*", "&*")
        self.addCleanup(w.call, "ACL", "DELUSER", "shop")
        c = self.daemon.connect()
        self.addCleanup(c.close)
        c.call("HELLO", 3, "AUTH", "shop", "pw")
        refused = RespError("NOPERM this user has no permissions to access one of the keys used as arguments")
        self.assertEqual(c.call("CLIENT", "TRACKING", "ON", "BCAST"), refused)
        self.assertEqual(c.call("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "sho"), refused)
        self.assertEqual(c.call("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "shop.1"), "OK")


if __name__ == "__main__":
    unittest.main()
