"""SLOWLOG, LATENCY, MONITOR, CLIENT PAUSE and UNBLOCK, INFO over real sockets; beside redis-server 7.0 where both have it."""

import re
import unittest

from harness import Daemon, Redis, RespError, info


class BesideRedis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon, cls.redis = Daemon("--max-memory", "64M"), Redis()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.addClassCleanup(cls.redis.__exit__)

    def test_replies(self):
        for protocol in (2, 3):
            with self.daemon.connect() as ours, self.redis.connect() as theirs:
                for c in (ours, theirs):
                    c.call("hello", protocol)
                for line in (
                        "slowlog", "slowlog get -2", "slowlog get x", "slowlog reset", "slowlog len", "slowlog get", "slowlog get 1 2",
                        "slowlog nosuch", "latency latest", "latency history x", "latency graph x", "latency graph", "latency reset",
                        "latency reset x", "latency nosuch", "latency histogram nosuch", "client pause x", "client pause -1",
                        "client pause 1 foo", "client pause 1 all", "client unpause", "client unpause x", "client unblock 999",
                        "client unblock x", "client unblock 3 foo", "client pause", "wait 0 0", "wait x 1", "wait 0 -1", "role",
                        "shutdown foo", "shutdown save nosave", "shutdown abort", "shutdown nosave abort", "memory purge",
                        "memory nosuch", "acl help x", "object help x", "command list filterby aclcat nosuch",
                        "command list filterby module x", "command list filterby", "command getkeys ping x", "command getkeys nosuch x",
                        "command getkeys get a b", "command getkeys eval x 2 a b c", "command getkeysandflags set a b",
                        "command getkeysandflags get a", "swapdb 0 99", "function flush", "info nosuch", "monitor x"):
                    self.assertEqual(ours.call(*line.split()), theirs.call(*line.split()), line)

    def test_slow_commands_look_the_same(self):
        entries = []
        for server in (self.daemon, self.redis):
            with server.connect() as c:
                c.call("config", "set", "slowlog-log-slower-than", 0, "slowlog-max-len", 100)
                c.call("client", "setname", "me")
                c.call("slowlog", "reset")
                c.call("set", "k", "v" * 300)
                c.call("mset", *range(1, 101))
                c.call("auth", "secret")
                c.call("hello", 2, "auth", "default", "secret")
                c.call("acl", "setuser", "x", ">secret")
                c.call("multi")
                c.call("get", "k")
                c.call("exec")
                c.call("config", "set", "slowlog-log-slower-than", 10000)
                entries.append([(e[3], e[5]) for e in c.call("slowlog", "get", -1)])
                c.call("acl", "deluser", "x")
        self.assertEqual(entries[0], entries[1])

    def test_monitor_shows_the_same(self):
        shown = []
        for server in (self.daemon, self.redis):
            with server.connect() as m, server.connect() as c:
                self.assertEqual(m.call("monitor"), "OK")
                c.call("set", b"a\"\\\n\r\t\x01\xff", "v")
                c.call("get")
                c.call("nosuch")
                c.call("auth", "secret")
                c.call("config", "get", "port")
                c.call("select", 3)
                c.send(b"MULTI\r\nSET k 1\r\nGET k\r\nEXEC\r\n")
                for _ in range(4):
                    c.read()
                c.call("ping")
                lines = []
                while not lines or "ping" not in lines[-1]:
                    lines.append(m.read())
                shown.append([re.sub(r"^[0-9]+\.[0-9]{6} ", "", line).replace(server.path, "PATH") for line in lines])
                for line in lines:
                    self.assertRegex(line, r"^[0-9]+\.[0-9]{6} \[[0-9]+ unix:")
        self.assertEqual(shown[0], shown[1])

    def test_error_and_command_figures(self):
        figures = []
        for server in (self.daemon, self.redis):
            with server.connect() as c:
                c.call("config", "resetstat")
                c.call("set", "text", "x")
                c.call("incr", "text")
                c.call("get")
                c.call("get", "text")
                c.call("get", "text")
                c.call("evalsha", "0" * 40, 0)
                c.call("nosuch")
                lines = info(c, "commandstats", "errorstats")
                figures.append({name: re.sub("usec=[^,]*,usec_per_call=[^,]*", "", value) for name, value in lines.items()
                                if "resetstat" not in name})
        self.assertEqual(figures[0], figures[1])

    def test_info_has_the_fields_that_exporters_read(self):
        with self.daemon.connect() as ours, self.redis.connect() as theirs:
            mine = info(ours, "everything")
            # Of what is not here: forks, jemalloc, Lua, replication's and threads' details.
            without = re.compile(
                "allocator_|.*_lua|used_memory_(vm|scripts|functions)|number_of_(fun|lib)|rdb_|aof_|current_|mem_(aof|repl|total|"
                "clients|cluster|not)|lazyfreed|io_threaded|reply_buffer|tracking_total|.*_repl_|dump_payload|unexpected|"
                "module_fork|rss_overhead|gcc_|atomicvar|monotonic|process_sup|configured_hz|lru_clock|client_recent|clients_in|"
                "tracking_clients|expired_(stale|time)|expire_cycle|evict|total_(evic|active|reads|writes)|migrate|.*main_thread|"
                "master_replid2|cmdstat|errorstat|latency_|db[0-9]")
            missing = [name for name in info(theirs, "everything") if name not in mine and not without.match(name)]
            self.assertEqual(missing, [])

    def test_histograms(self):
        with self.daemon.connect() as c:
            c.call("config", "resetstat")
            c.call("hello", 3)
            for _ in range(10):
                c.call("get", "x")
            (name, told), = c.call("latency", "histogram", "get").items()
            self.assertEqual((name, told[b"calls"]), (b"get", 10))
            self.assertEqual(list(told[b"histogram_usec"].values())[-1], 10)
            self.assertIn(b"get", c.call("latency", "histogram"))
            self.assertIn("p99.9=", info(c, "latencystats")["latency_percentiles_usec_get"])


class Own(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M")
        cls.addClassCleanup(cls.daemon.__exit__)

    def test_latency_is_noted(self):
        with Daemon("--latency-monitor-threshold", "1", "--max-memory", "64M") as daemon, daemon.connect() as c:
            # 64 ms and more: one value that is copied in one go.
            while not c.call("latency", "latest"):
                c.call("set", "k", "x" * 4000000)
                for _ in range(4):
                    c.call("append", "k", "x" * 4000000)
            (name, when, latest, worst), *_ = c.call("latency", "latest")
            self.assertIn(name, (b"command", b"fast-command"))
            self.assertGreaterEqual(worst, latest)
            self.assertEqual(c.call("latency", "history", name)[-1], [when, latest])
            graph = c.call("latency", "graph", name).decode()
            self.assertIn("all time high %d ms" % worst, graph)
            self.assertIn(name + b":", c.call("latency", "doctor"))
            self.assertEqual(c.call("latency", "reset", name), 1)
            self.assertEqual(c.call("latency", "history", name), [])

    def test_pause_holds_and_lets_go(self):
        with self.daemon.connect() as admin, self.daemon.connect() as c:
            self.assertEqual(admin.call("client", "pause", 60000, "write"), "OK")
            self.assertEqual(c.call("get", "k"), None)
            c.send(b"SET k 1\r\nGET k\r\n")
            self.assertEqual(admin.call("exists", "k"), 0)
            self.assertEqual(admin.call("client", "unpause"), "OK")
            self.assertEqual((c.read(), c.read()), ("OK", b"1"))
            self.assertEqual(admin.call("client", "pause", 100), "OK")
            self.assertEqual(c.call("get", "k"), b"1")
            c.call("multi")
            c.call("set", "k", 2)
            admin.call("client", "pause", 100, "write")
            self.assertEqual(c.call("exec"), ["OK"])
            self.assertEqual(admin.call("client", "pause", 2**63 - 1, "write"), "OK")
            self.assertEqual(admin.call("client", "unpause"), "OK")

    def test_who_goes_away_while_paused_is_forgotten(self):
        with self.daemon.connect() as admin:
            admin.call("client", "pause", 60000, "write")
            for _ in range(50):
                with self.daemon.connect() as c:
                    c.send(b"SET k 1\r\n")
            admin.call("client", "unpause")
            while info(admin, "clients")["connected_clients"] != "1":
                pass

    def test_unblock(self):
        with self.daemon.connect() as holder, self.daemon.connect() as a, self.daemon.connect() as b:
            ids = [c.call("client", "id") for c in (a, b)]
            holder.call("lock", "busy", "me", 60000)
            for c in (a, b):
                c.send(b"LOCK busy other%d 60000 WAIT 60000\r\nPING\r\n" % ids[0])
            while info(holder, "clients")["blocked_clients"] != "2":
                pass
            self.assertEqual(holder.call("client", "unblock", ids[0]), 1)
            self.assertEqual((a.read(), a.read()), (None, "PONG"))
            self.assertEqual(holder.call("client", "unblock", ids[1], "error"), 1)
            self.assertEqual((b.read(), b.read()), (RespError("UNBLOCKED client unblocked via CLIENT UNBLOCK"), "PONG"))
            self.assertEqual(holder.call("client", "unblock", ids[1]), 0)
            self.assertEqual(holder.call("unlock", "busy", "me"), 1)
            self.assertEqual(info(holder, "stats")["locks"], "0")

    def test_a_monitor_that_does_not_read_is_closed_and_holds_up_nobody(self):
        with Daemon("--max-memory", "64M", "--output-limit", "64M") as daemon, daemon.connect() as m, daemon.connect() as c:
            self.assertEqual(m.call("monitor"), "OK")
            mine = c.call("client", "id")
            while len(c.call("client", "list").splitlines()) > 1:
                c.send(b"".join(b"ECHO " + b"x" * 1000 + b"\r\n" for _ in range(1000)))
                for _ in range(1000):
                    c.read()
            self.assertEqual(c.call("client", "id"), mine)
            self.assertEqual(info(c, "clients")["monitor_clients"], "0")

    def test_help_lists_what_the_table_has(self):
        with self.daemon.connect() as c:
            for container in ("acl", "client", "command", "config", "latency", "memory", "object", "script", "slowlog"):
                lines = c.call(container, "help")
                self.assertEqual(lines[0], container.upper() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
                self.assertIn("HELP", lines)

    def test_figures_are_true(self):
        with Daemon("--max-memory", "64M") as daemon, daemon.connect() as c:
            before = info(c)
            for i in range(100):
                c.call("set", "k%d" % i, "x" * 1000)
            c.call("get", "k1")
            c.call("get", "nothing")
            after = info(c)

            def more(name):
                return int(after[name]) - int(before[name])

            self.assertEqual((more("keyspace_hits"), more("keyspace_misses")), (1, 1))
            self.assertEqual(more("total_commands_processed"), 103)
            self.assertGreater(more("used_memory"), 50000)
            self.assertGreaterEqual(int(after["used_memory_peak"]), int(after["used_memory"]))
            self.assertGreater(more("total_net_input_bytes"), 100000)
            while info(c)["instantaneous_ops_per_sec"] == "0":
                for i in range(100):
                    c.call("ping")
            stats = dict(zip(*[iter(c.call("memory", "stats"))] * 2))
            self.assertEqual(stats[b"keys.count"], 100)


if __name__ == "__main__":
    unittest.main()
