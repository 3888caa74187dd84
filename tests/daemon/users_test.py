"""Users over real sockets, beside redis-server 7.0 where both have the same."""

import unittest

from harness import Closed, Daemon, Redis, RespError


class BesideRedis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon, cls.redis = Daemon("--max-memory", "64M"), Redis()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.addClassCleanup(cls.redis.__exit__)

    def both(self, commands, protocol=2):
        """The replies of both to the same commands on new connections."""
        answers = []
        for server in (self.daemon, self.redis):
            with server.connect() as c:
                c.call("hello", protocol)
                answers.append([c.call(*words) for words in commands])
        return answers

    def same(self, *commands, protocol=2):
        ours, theirs = self.both(commands, protocol)
        for words, our, their in zip(commands, ours, theirs):
            self.assertEqual(our, their, words)

    def test_replies(self):
        for protocol in (2, 3):
            self.same(
                ("acl", "setuser", "bob"), ("acl", "list"), ("acl", "getuser", "bob"),
                ("acl", "setuser", "bob", "on", ">pw", "~shop.*", "%R~ro*", "%RW~z", "&ch*", "+@all", "-@write", "+set"),
                ("acl", "list"), ("acl", "getuser", "bob"), ("acl", "users"), ("acl", "whoami"),
                ("acl", "getuser", "nosuch"), ("acl", "getuser", "default"), ("acl", "cat", "nosuch"),
                ("acl", "load"), ("acl", "save"), ("acl", "genpass", 0), ("acl", "genpass", 5000), ("acl", "genpass", "x"),
                ("acl", "deluser", "default"), ("acl", "nosuch"), ("acl",), ("acl", "list", "x"), ("acl", "log", "x"),
                ("acl", "setuser", "b b", "on"), ("acl", "setuser", "bob", "+nosuch"), ("acl", "setuser", "bob", "#12"),
                ("acl", "setuser", "bob", "allkeys", "~x"), ("acl", "setuser", "bob", "&*", "&x"),
                ("acl", "setuser", "bob", "<nosuch"), ("acl", "setuser", "bob", "+client|nosuch"),
                ("acl", "setuser", "bob", "+client|id|x"), ("acl", "setuser", "bob", "%X~a"), ("acl", "setuser", "bob", "foo"),
                ("acl", "dryrun", "bob", "get", "shop.a"), ("acl", "dryrun", "bob", "get", "a"),
                ("acl", "dryrun", "bob", "incr", "shop.a"), ("acl", "dryrun", "nosuch", "get", "a"),
                ("acl", "dryrun", "bob", "nosuch"), ("acl", "dryrun", "bob", "set"), ("acl", "dryrun", "bob", "set", "ro1", "v"),
                ("acl", "dryrun", "bob", "client", "kill"), ("auth", "bob", "wrong"), ("auth", "x"), ("auth", "bob", "pw"),
                ("acl", "whoami"), ("get", "shop.a"), ("get", "a"), ("incr", "shop.a"), ("set", "ro1", "v"),
                ("multi",), ("get", "a"), ("exec",), ("multi",), ("get", "shop.a"), ("exec",), ("acl", "deluser", "x", "y"),
                ("reset",), ("acl", "whoami"), ("acl", "deluser", "bob", "nosuch"), protocol=protocol)

    def test_a_user_who_may_nothing(self):
        self.same(("acl", "setuser", "none", "on", "nopass"), ("auth", "none", "x"), ("ping",), ("client", "id"),
                  ("exec",), ("auth", "default", "x"), ("ping",), ("acl", "deluser", "none"))

    def test_the_log_tells_the_same(self):
        commands = [("acl", "log", "reset"), ("acl", "setuser", "bob", "on", ">pw", "~shop.*", "+get", "+multi", "+exec"),
                    ("auth", "bob", "wrong"), ("auth", "bob", "pw"), ("get", "a"), ("get", "a"), ("set", "shop.x", 1),
                    ("multi",), ("get", "bbb"), ("exec",), ("auth", "default", "x"), ("acl", "log"), ("acl", "log", 1),
                    ("acl", "deluser", "bob")]
        ours, theirs = self.both(commands)

        def told(log):
            return [dict(zip(entry[:10:2], entry[1:10:2])) for entry in log]

        self.assertEqual(ours[:-3], theirs[:-3])
        self.assertEqual(told(ours[-3]), told(theirs[-3]))
        self.assertEqual(len(ours[-2]), 1)
        self.assertIn(b"cmd=", dict(zip(ours[-2][0][::2], ours[-2][0][1::2]))[b"client-info"])

    def test_rights_and_classes_of_all_common_commands(self):
        with self.daemon.connect() as ours, self.redis.connect() as theirs:
            names = [name for name in ours.call("command", "list", "filterby", "pattern", "*")]
            known = {row[0]: row for row in theirs.call("command", "info", *names) if row}
            ours_known = {row[0]: row for row in ours.call("command", "info", *names) if row}
            self.assertGreater(len(known), 100)
            for name, their in known.items():
                mine = ours_known[name]
                # Whether a command counts as fast is each server's own affair; some do nothing here.
                skip = {"@fast", "@slow"}
                # SCRIPT, FUNCTION: nothing is written. MEMORY, TIME: the server's.
                extra = {b"function|flush": {"@write"}, b"copy": set()}.get(name, set())
                self.assertEqual(set(mine[6]) - skip | extra, set(their[6]) - skip, name)
                specs = [dict(zip(s[::2], s[1::2])) for s in their[8]]
                # A shard's channel stands for a key there; here there is one shard.
                if specs and "@pubsub" not in mine[6]:
                    self.assertEqual(mine[3:6], their[3:6], name)

    def test_rights_to_keys_are_redis_s(self):
        lines = ["get k", "mget k k2", "set k v", "set k v get", "setnx k v", "incr k", "append k v", "getset k v", "getdel k",
                 "getex k", "del k k2", "unlink k", "exists k", "expire k 1", "ttl k", "type k", "copy k j", "copy j k",
                 "rename k j", "rename j k", "touch k", "persist k", "strlen k", "getrange k 0 1", "setrange k 0 v",
                 "mset k v j v", "object encoding k", "memory usage k", "watch k", "move k 1", "incrbyfloat k 1",
                 "eval x 1 k", "eval x 1 j", "eval x 2 k z"]
        for rule in ("%R~k*", "%W~k*", "~k*"):
            prepare = ("acl", "setuser", "keys", "reset", "on", "nopass", "+@all", rule, "%W~j*")
            self.same(prepare, *[("acl", "dryrun", "keys", *line.split()) for line in lines])

    def test_rights_to_channels(self):
        self.same(("acl", "setuser", "ch", "on", "nopass", "+@all", "-@pubsub", "+publish", "+subscribe", "+psubscribe", "&ch*"),
                  *[("acl", "dryrun", "ch", *line.split()) for line in (
                      "publish ch1 m", "publish x m", "subscribe ch1 ch2", "subscribe ch1 x", "psubscribe ch*", "psubscribe ch1*",
                      "spublish ch1 m", "unsubscribe x")],
                  ("auth", "ch", "x"), ("publish", "x", "m"), ("publish", "ch1", "m"), ("subscribe", "x"), ("subscribe", "ch1"))

    def test_genpass(self):
        with self.daemon.connect() as c:
            self.assertRegex(c.call("acl", "genpass"), b"^[0-9a-f]{64}$")
            self.assertRegex(c.call("acl", "genpass", 5), b"^[0-9a-f]{2}$")
            self.assertRegex(c.call("acl", "genpass", 4096), b"^[0-9a-f]{1024}$")
            self.assertNotEqual(c.call("acl", "genpass"), c.call("acl", "genpass"))


class Own(unittest.TestCase):
    def test_users_from_the_options(self):
        with Daemon("--user", "default off", "--user", "web on >pw ~web.* +@all", tcp=False) as daemon:
            with daemon.connect() as c:
                self.assertEqual(c.call("get", "web.1"), RespError("NOAUTH Authentication required."))
                self.assertEqual(c.call("hello", 3, "auth", "web", "pw")[b"proto"], 3)
                self.assertIsNone(c.call("get", "web.1"))
                self.assertIn("NOPERM", c.call("get", "x").text)

    def test_a_password_beyond_loopback(self):
        refused = Daemon("--listen", "0.0.0.0:0", start=False)
        refused.start(wait=False)
        self.assertEqual(refused.wait(), 1)
        refused.__exit__()
        with Daemon("--listen", "0.0.0.0:0", "--user", "default on >pw allkeys allchannels allcommands") as daemon, daemon.connect() as c:
            self.assertEqual(c.call("ping"), RespError("NOAUTH Authentication required."))

    def test_who_is_removed_is_disconnected(self):
        with Daemon() as daemon, daemon.connect() as admin, daemon.connect() as web, daemon.connect() as other:
            admin.call("acl", "setuser", "web", "on", "nopass", "+@all", "~*")
            self.assertEqual(web.call("auth", "web", "x"), "OK")
            self.assertIn(b"user=web", web.call("client", "info"))
            self.assertEqual(admin.call("acl", "deluser", "web"), 1)
            self.assertRaises(Closed, web.read)
            self.assertEqual(other.call("ping"), "PONG")
            admin.call("acl", "setuser", "self", "on", "nopass", "+@all", "~*")
            other.call("auth", "self", "x")
            self.assertEqual(other.call("acl", "deluser", "self"), 1)
            self.assertRaises(Closed, other.read)
            self.assertEqual(admin.call("acl", "users"), [b"default"])


if __name__ == "__main__":
    unittest.main()
