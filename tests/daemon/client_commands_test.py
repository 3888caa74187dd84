"""CLIENT LIST, KILL, REPLY and CONFIG SET, RESETSTAT over real sockets."""

import unittest

from harness import Closed, Daemon, RespError, info


def fields(line):
    return dict(word.split("=", 1) for word in line.split(" "))


class ClientCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M", tcp=True)
        cls.addClassCleanup(cls.daemon.__exit__)

    def test_list_and_info(self):
        with self.daemon.connect() as a, self.daemon.connect_tcp() as b:
            a.call("client", "setname", "first")
            b.call("select", 3)
            b.call("multi")
            b.call("ping")
            clients = {c["id"]: c for c in map(fields, a.call("client", "list").decode().splitlines())}
            mine = fields(a.call("client", "info").decode().strip())
            self.assertEqual(clients[mine["id"]]["name"], "first")
            self.assertEqual(mine["addr"], self.daemon.path + ":0")
            self.assertEqual(mine["cmd"], "client|info")
            (other,) = [c for c in clients.values() if c["addr"].startswith("127.0.0.1:")]
            self.assertEqual((other["db"], other["multi"], other["cmd"]), ("3", "1", "multi"))
            self.assertEqual(len(a.call("client", "list", "id", mine["id"]).splitlines()), 1)
            self.assertEqual(a.call("client", "list", "type", "replica"), b"")

    def test_kill(self):
        with self.daemon.connect() as a, self.daemon.connect() as b, self.daemon.connect_tcp() as c:
            self.assertEqual(a.call("client", "kill", "id", b.call("client", "id")), 1)
            self.assertRaises(Closed, b.read)
            address = fields(c.call("client", "info").decode().strip())["addr"]
            self.assertEqual(a.call("client", "kill", address), "OK")
            self.assertRaises(Closed, c.read)
            self.assertEqual(a.call("client", "kill", address), RespError("ERR No such client"))
            self.assertEqual(a.call("client", "kill", "id", a.call("client", "id")), 0)
            self.assertEqual(a.call("client", "kill", "id", a.call("client", "id"), "skipme", "no"), 1)
            self.assertRaises(Closed, a.read)

    def test_reply(self):
        with self.daemon.connect() as c:
            c.send(b"CLIENT REPLY OFF\r\nSET k 1\r\nINCR k\r\nfoo\r\nDELPREFIX zz\r\nCLIENT REPLY ON\r\nGET k\r\n")
            self.assertEqual([c.read(), c.read()], ["OK", b"2"])
            c.send(b"CLIENT REPLY SKIP\r\nINCR k\r\nINCR k\r\n")
            self.assertEqual(c.read(), 4)

    def test_a_skipped_reply_of_a_long_job_is_not_sent(self):
        with self.daemon.connect() as c:
            for i in range(0, 20000, 1000):
                c.call("mset", *[w for n in range(i, i + 1000) for w in ("many.%d" % n, "v")])
            c.send(b"CLIENT REPLY SKIP\r\nKEYS *9*\r\nCLIENT REPLY SKIP\r\nDELPREFIX many.\r\nEXISTS many.1\r\n")
            self.assertEqual(c.read(), 0)

    def test_config_set(self):
        with self.daemon.connect() as c:
            whole = c.call("config", "get", "maxmemory")[1]
            self.assertEqual(c.call("config", "set", "maxmemory", "32mb", "MaxMemory-Policy", "noeviction"), "OK")
            self.assertEqual(c.call("config", "get", "maxmemory"), [b"maxmemory", b"%d" % (32 << 20)])
            self.assertEqual(info(c, "memory")["maxmemory_policy"], "noeviction")
            refused = "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - "
            for value in ("0", "1gb", "1"):
                answer = c.call("config", "set", "maxmemory-policy", "allkeys-lru", "maxmemory", value)
                self.assertIn(refused + "argument must be between", answer.text)
            self.assertEqual(c.call("config", "set", "maxmemory", "abc"),
                             RespError(refused + "argument must be a memory value"))
            self.assertEqual(info(c, "memory")["maxmemory_policy"], "noeviction")
            self.assertEqual(c.call("config", "set", "maxmemory", whole), "OK", "back to what the segment was made for")
            self.assertIn("argument(s) must be one of", c.call("config", "set", "maxmemory-policy", "foo").text)
            for name in ("bind", "databases", "max-value", "port", "unixsocket", "unixsocketperm"):
                self.assertIn("can't set immutable config", c.call("config", "set", name, "1").text)

    def test_resetstat(self):
        with self.daemon.connect() as c:
            c.call("get", "nothing")
            self.assertGreater(int(info(c)["keyspace_misses"]), 0)
            self.assertEqual(c.call("config", "resetstat"), "OK")
            after = info(c)
            self.assertEqual((after["keyspace_misses"], after["total_commands_processed"]), ("0", "1"))
            self.assertEqual(after["connected_clients"], "1")


if __name__ == "__main__":
    unittest.main()
