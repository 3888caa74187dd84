"""CONFIG over real sockets, beside redis-server 7.0 where both have the same."""

import os
import stat
import unittest

from harness import Closed, Daemon, Redis, RespError


def setting(connection, name):
    return connection.call("config", "get", name)[1].decode()


class BesideRedis(unittest.TestCase):
    def test_replies(self):
        commands = [line.split(" ") for line in (
            "config set nosuch 1", "config set timeout x", "config set timeout -1", "config set timeout 5 timeout 6",
            "config set timeout", "config set databases 3", "config set slowlog-log-slower-than abc",
            "config set latency-monitor-threshold -4", "config set maxclients x", "config get nosuch", "config get",
            "config rewrite", "config resetstat", "config nosuch", "config set timeout 30", "config get timeout",
            "config set TIMEOUT 0", "config get slowlog-max-len", "config get time*", "config get timeout nosuch TIMEOUT",
            "config set requirepass pw", "config get requirepass", "auth wrong", "auth pw", "acl getuser default",
            "config set maxmemory abc", "config set proto-max-bulk-len abc", "config set maxmemory-policy foo x y",
            "config get appendonly", "config get save", "config set appendonly no")]
        commands.append(("config", "set", "save", ""))
        commands.append(("config", "set", "requirepass", ""))
        commands.append(("acl", "list"))
        with Daemon() as daemon, Redis() as redis, daemon.connect() as ours, redis.connect() as theirs:
            for words in commands:
                self.assertEqual(ours.call(*words), theirs.call(*words), words)


class Settings(unittest.TestCase):
    def test_all_or_none(self):
        with Daemon() as daemon, daemon.connect() as c:
            answer = c.call("config", "set", "timeout", 5, "slowlog-max-len", 7, "maxclients", "x")
            self.assertIn("'maxclients'", answer.text)
            self.assertEqual((setting(c, "timeout"), setting(c, "slowlog-max-len")), ("0", "128"))
            self.assertIn("only '' is supported", c.call("config", "set", "save", "60 1").text)
            self.assertIn("only 'no' is supported", c.call("config", "set", "appendonly", "yes").text)

    def test_maxclients_holds_at_once(self):
        with Daemon() as daemon, daemon.connect() as a:
            self.assertEqual(a.call("config", "set", "maxclients", 2), "OK")
            with daemon.connect() as b, daemon.connect() as c:
                self.assertEqual(b.call("ping"), "PONG")
                self.assertEqual(c.read(), RespError("ERR max number of clients reached"))
            self.assertIn("operating system is not able", a.call("config", "set", "maxclients", 1000000).text)
            self.assertEqual(setting(a, "maxclients"), "2")

    def test_requirepass(self):
        with Daemon() as daemon, daemon.connect() as a, daemon.connect() as before:
            self.assertEqual(a.call("config", "set", "requirepass", "pw"), "OK")
            self.assertEqual(before.call("ping"), "PONG")
            with daemon.connect() as b:
                self.assertEqual(b.call("ping"), RespError("NOAUTH Authentication required."))
                self.assertEqual(b.call("auth", "pw"), "OK")
            self.assertEqual(a.call("config", "set", "requirepass", ""), "OK")
            with daemon.connect() as b:
                self.assertEqual(b.call("ping"), "PONG")

    def test_idle_clients_are_closed_and_others_are_not(self):
        with Daemon("--timeout", "1") as daemon, daemon.connect() as idle, daemon.connect() as locker:
            with daemon.connect() as subscriber:
                self.assertEqual(idle.call("ping"), "PONG")
                locker.call("lock", "name", "me", "60000", "bound")
                subscriber.call("subscribe", "news")
                self.assertRaises(Closed, idle.read)
                self.assertEqual(locker.call("ping"), "PONG")
                self.assertEqual(subscriber.call("ping"), [b"pong", b""])


class Rewrite(unittest.TestCase):
    def test_what_was_changed_is_written_and_read_again(self):
        daemon = Daemon(start=False)
        self.addCleanup(daemon.__exit__)
        path = os.path.join(daemon.directory, "coppiced.toml")
        daemon.options = ["--config", path]
        with open(path, "w") as f:
            f.write("# mine\nmax-memory = '64M' # enough\nmax-clients = 77\n")
        os.chmod(path, 0o640)
        daemon.start()
        with daemon.connect() as c:
            self.assertEqual(c.call("config", "rewrite"), "OK")
            with open(path) as f:
                self.assertEqual(f.read(), "# mine\nmax-memory = '64M' # enough\nmax-clients = 77\n")
            c.call("config", "set", "maxmemory", "32mb", "timeout", 9, "slowlog-log-slower-than", -1)
            c.call("acl", "setuser", "web", "on", ">pw", "~web.*", "%R~a\"\\b", "+@read")
            self.assertEqual(c.call("config", "rewrite"), "OK")
        with open(path) as f:
            text = f.read()
        self.assertTrue(text.startswith("# mine\nmax-memory = \"33554432\" # enough\nmax-clients = 77\n"), text)
        self.assertNotIn("pw", text)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(daemon.directory)),
                         ["coppice.sock", "coppice.sock.lock", "coppiced.toml", "log"])
        daemon.stop()
        daemon.start()
        with daemon.connect() as c:
            self.assertEqual([setting(c, n) for n in ("maxmemory", "timeout", "slowlog-log-slower-than", "maxclients")],
                             ["33554432", "9", "-1", "77"])
            self.assertIn(b"user web on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 ~web.* "
                          b"%R~a\"\\b resetchannels -@all +@read", c.call("acl", "list"))
            self.assertIn(b"user default on nopass ~* &* +@all", c.call("acl", "list"))
            os.unlink(path)
            c.call("config", "set", "timeout", 1)
            self.assertIn("Rewriting config file", c.call("config", "rewrite").text)

    def test_a_changed_password_is_the_only_one_after_a_restart(self):
        daemon = Daemon(start=False)
        self.addCleanup(daemon.__exit__)
        path = os.path.join(daemon.directory, "coppiced.toml")
        daemon.options = ["--config", path]
        with open(path, "w") as f:
            f.write("requirepass = 'one'\n")
        daemon.start()
        with daemon.connect() as c:
            c.call("auth", "one")
            c.call("acl", "setuser", "default", "resetpass", ">two")
            self.assertEqual(c.call("config", "rewrite"), "OK")
        daemon.stop()
        daemon.start()
        with daemon.connect() as c:
            self.assertIn("WRONGPASS", c.call("auth", "one").text)
            self.assertEqual(c.call("auth", "two"), "OK")


if __name__ == "__main__":
    unittest.main()
