"""LEASE, LOCK, THROTTLE and their kin over real sockets: waits, wake-ups, revocations, deaths."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from harness import Closed, Daemon, RespError, encode, info

HERE = os.path.dirname(os.path.abspath(__file__))

# Connects, sends what it is told, says the reply, and waits to be killed; "fork" leaves a child with the socket.
CLIENT = """
import os, sys, time
sys.path.insert(0, %r)
from harness import Connection
c = Connection(sys.argv[1])
print(c.call(*sys.argv[3:]), flush=True)
if sys.argv[2] == "fork":
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    print(child, flush=True)
time.sleep(60)
""" % HERE

INF = 3_600_000


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("did not happen within %d s" % seconds)
        time.sleep(0.005)


class WithDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--max-memory", "64M", tcp=True)
        cls.addClassCleanup(cls.daemon.__exit__)

    def setUp(self):
        self.clients = []
        self.c = self.connect()
        self.c.call("FLUSHALL")
        self.c.call("FLUSHLOCKS", "")

    def tearDown(self):
        for c in self.clients:
            c.close()
        with self.daemon.connect() as c:
            c.call("FLUSHLOCKS", "")
            wait_until(lambda: int(info(c)["leases"]) == 0 and int(info(c)["lock_waiters"]) == 0)
            self.assertEqual(info(c)["blocked_clients"], "0")

    def connect(self, tcp=False):
        c = self.daemon.connect_tcp() if tcp else self.daemon.connect()
        self.clients.append(c)
        return c

    def waiting(self, what, *command, tcp=False):
        """A client that has sent the command and waits; `what` is the figure of INFO that grows by it."""
        before = int(info(self.c)[what])
        c = self.connect(tcp)
        c.send(encode(*command))
        wait_until(lambda: int(info(self.c)[what]) == before + 1)
        return c

    def lease(self, key="k", client=None, party=0):
        reply = (client or self.c).call("LEASE", key, party, 0, 60000)
        self.assertEqual(reply[0], 0)
        return reply[1]

    def client_process(self, how, *command):
        p = subprocess.Popen([sys.executable, "-c", CLIENT, self.daemon.path, how, *map(str, command)],
                             stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p, p.stdout.readline().strip()


class Leases(WithDaemon):
    def test_one_computes_and_the_others_are_woken_with_the_value(self):
        token = self.lease()
        waiters = [self.waiting("lease_waiters", "LEASE", "k", 0, 10000, 60000) for _ in range(5)]
        waiters.append(self.waiting("lease_waiters", "LEASE", "k", 0, 10000, 60000, tcp=True))
        self.assertGreater(self.c.call("LEASESET", token, "k", 0, "value", 60000, 0, 1234), 0)
        for w in waiters:
            self.assertEqual(w.read(), [1])
            self.assertEqual(w.call("GET", "k"), b"value")

    def test_later_requests_of_a_waiting_client_wait_and_then_run(self):
        token = self.lease()
        w = self.waiting("lease_waiters", "LEASE", "k", 0, 10000, 60000)
        w.send(encode("SET", "later", 1) + encode("GET", "k"))
        self.assertIsNone(self.c.call("GET", "later"))
        self.c.call("LEASESET", token, "k", 0, "value", -1, 0, 0)
        self.assertEqual([w.read(), w.read(), w.read()], [[1], "OK", b"value"])

    def test_a_wait_ends_at_its_limit(self):
        self.lease()
        begin = time.monotonic()
        self.assertEqual(self.connect().call("LEASE", "k", 0, 50, 60000), [2])
        self.assertGreaterEqual(time.monotonic() - begin, 0.049)

    def test_a_ceiling_passes_the_lease_on(self):
        self.assertEqual(self.c.call("LEASE", "k", 0, 0, 40)[0], 0)
        self.assertEqual(self.connect().call("LEASE", "k", 0, 20000, 60000)[0], 0)

    def test_a_dropped_lease_passes_on(self):
        token = self.lease()
        w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000)
        self.assertEqual(self.c.call("LEASEDROP", token), 1)
        self.assertEqual(self.c.call("LEASEDROP", token), 0)
        self.assertEqual(w.read()[0], 0)

    def test_a_closed_connection_passes_the_lease_on(self):
        holder = self.connect()
        self.lease(client=holder)
        w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000)
        holder.close()
        self.assertEqual(w.read()[0], 0)

    def test_a_killed_holder_passes_the_lease_on(self):
        p, reply = self.client_process("plain", "LEASE", "k", 1, 0, 600000)
        self.assertTrue(reply.startswith("[0, "))
        w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000)
        p.send_signal(signal.SIGKILL)
        self.assertEqual(w.read()[0], 0)

    def test_a_killed_holder_whose_child_keeps_the_socket_open_passes_the_lease_on(self):
        p, reply = self.client_process("fork", "LEASE", "k", 1, 0, 600000)
        child = int(p.stdout.readline())
        self.addCleanup(os.kill, child, signal.SIGKILL)
        w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000)
        p.send_signal(signal.SIGKILL)
        self.assertEqual(w.read()[0], 0)
        os.kill(child, 0)

    def test_a_waiter_that_hangs_up_is_forgotten(self):
        self.lease()
        for tcp in (False, True):
            w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000, tcp=tcp)
            w.send(encode("PING"))
            w.close()
            wait_until(lambda: int(info(self.c)["lease_waiters"]) == 0)

    def test_each_kind_of_write_revokes(self):
        c = self.c
        for command in (("DEL", "k"), ("UNLINK", "k"), ("SET", "k", "x"), ("INCR", "k"),
                        ("DELPREFIX", "k"), ("FLUSHDB",), ("FLUSHALL",), ("TSET", "k", 0, "x"), ("PSETEX", "k", 1000, "x"),
                        ("MSET", "k", "x"), ("TINCR", "k", 1, 0, -1), ("THROTTLE", "k", 5, 1000)):
            with self.subTest(command=command):
                c.call("DEL", "k")
                token = self.lease()
                w = self.waiting("lease_waiters", "LEASE", "k", 0, 20000, 60000)
                self.assertNotIsInstance(self.connect().call(*command), RespError)
                self.assertIsNone(c.call("LEASESET", token, "k", 0, "old", -1, 0, 0))
                reply = w.read()
                self.assertEqual(reply[0], 0)
                w.call("LEASEDROP", reply[1])

    def test_a_new_deadline_revokes_a_refresh(self):
        for command in (("EXPIRE", "k", 100), ("PERSIST", "k"), ("TTOUCH", "k", 1000)):
            with self.subTest(command=command):
                version = self.c.call("TSET", "k", 0, "old", "PX", 60000)
                token = self.c.call("LEASE", "k", 0, 0, 60000, "REFRESH", version)[1]
                self.assertEqual(self.connect().call(*command), 1)
                self.assertIsNone(self.c.call("LEASESET", token, "k", 0, "new", -1, 0, 0))
                self.assertEqual(self.c.call("GET", "k"), b"old")

    def test_a_revoked_value_is_not_stored_without_waiters_too(self):
        token = self.lease()
        self.c.call("DELPREFIX", "k")
        self.assertIsNone(self.c.call("LEASESET", token, "k", 0, "old", -1, 0, 0))
        self.assertEqual(self.c.call("EXISTS", "k"), 0)

    def test_an_invalidated_tag_keeps_a_value_out(self):
        token = self.lease()
        self.connect().call("DELTAG", "t")
        self.assertIsNone(self.c.call("LEASESET", token, "k", 0, "old", -1, 0, 0, "s", "t"))
        token = self.lease()
        self.assertGreater(self.c.call("LEASESET", token, "k", 0, "new", -1, 0, 0, "s", "t"), 0)
        self.assertEqual(self.c.call("TAGS", "k"), [b"s", b"t"])

    def test_more_invalidated_tags_than_are_remembered_revoke_all(self):
        token = self.lease()
        other = self.connect()
        other.send(encode("DELTAG", *("t%d" % i for i in range(5000))))
        other.send(encode("DELTAG", *("u%d" % i for i in range(5001))))
        self.assertEqual([other.read(), other.read()], [0, 0])
        self.assertEqual(info(self.c)["leases"], "0")
        self.assertIsNone(self.c.call("LEASESET", token, "k", 0, "old", -1, 0, 0))

    def test_a_refresh_is_granted_to_one(self):
        version = self.c.call("TSET", "k", 0, "old")
        reply = self.c.call("LEASE", "k", 0, 0, 60000, "REFRESH", version)
        self.assertEqual(reply[0], 0)
        other = self.connect()
        self.assertEqual(other.call("LEASE", "k", 0, 0, 60000, "REFRESH", version), [2])
        self.assertEqual(other.call("LEASE", "k", 0, 0, 60000), [1])
        self.assertGreater(self.c.call("LEASESET", reply[1], "k", 0, "new", -1, 0, 0), version)

    def test_a_stale_value_is_refreshed(self):
        token = self.lease()
        self.c.call("LEASESET", token, "k", 0, "old", 1, 60000, 77)
        wait_until(lambda: self.c.call("EXISTS", "k") == 0)
        stale = self.c.call("TGET", "k", "STALE")
        self.assertEqual((stale[1], stale[5]), (b"old", 77))
        self.assertEqual(self.c.call("LEASE", "k", 0, 0, 60000, "REFRESH", stale[2])[0], 0)

    def test_a_circle_is_not_closed(self):
        a, b = self.connect(), self.connect()
        self.lease("a", a, 11)
        self.lease("b", b, 22)
        token = int(info(self.c)["lease_waiters"])
        a.send(encode("LEASE", "b", 11, 20000, 60000))
        wait_until(lambda: int(info(self.c)["lease_waiters"]) == token + 1)
        self.assertEqual(b.call("LEASE", "a", 22, 20000, 60000), [2])

    def test_values_that_are_refused_end_the_lease(self):
        with Daemon("--max-value", "1K") as d, d.connect() as c, d.connect() as w:
            token = c.call("LEASE", "k", 0, 0, 60000)[1]
            w.send(encode("LEASE", "k", 0, 20000, 60000))
            wait_until(lambda: info(c)["lease_waiters"] == "1")
            self.assertEqual(c.call("LEASESET", token, "k", 0, "x" * 2000, -1, 0, 0),
                             RespError("TOOLARGE value is larger than the limit of 1024 bytes"))
            self.assertEqual(w.read()[0], 0)

    def test_bad_input_is_named(self):
        for command, code in ((("LEASE", "", 0, 0, 1000), "BADKEY"), (("LEASE", "k", -1, 0, 1000), "BADLEASE"),
                              (("LEASE", "k", 0, -1, 1000), "BADLEASE"), (("LEASE", "k", 0, 0, 0), "BADLEASE"),
                              (("LEASE", "k", 0, 0, INF + 1), "BADLEASE"), (("LEASE", "k", 0, 0, 1, "X"), "ERR"),
                              (("LEASE", "k", 0, 0, 1, "REFRESH", "x"), "BADLEASE"), (("LEASEDROP", "x"), "BADLEASE"),
                              (("LEASESET", 1, "k", 99, "v", 1, 0, 0), "ERR"),
                              (("LEASESET", 1, "k", 0, "v", 1, -1, 0), "BADLEASE")):
            with self.subTest(command=command):
                reply = self.c.call(*command)
                self.assertIsInstance(reply, RespError)
                self.assertTrue(reply.text.startswith(code + " "), reply.text)

    def test_the_end_of_the_daemon_cuts_a_wait(self):
        with Daemon() as d, d.connect() as c, d.connect() as w:
            c.call("LEASE", "k", 0, 0, 60000)
            w.send(encode("LEASE", "k", 0, 20000, 60000))
            wait_until(lambda: info(c)["lease_waiters"] == "1")
            self.assertEqual(d.stop(), 0)
            with self.assertRaises(Closed):
                w.read()


class Locks(WithDaemon):
    def test_a_lock_goes_round_in_order(self):
        fence = self.c.call("LOCK", "l", "o0", 60000)
        waiters = [self.waiting("lock_waiters", "LOCK", "l", "o%d" % i, 60000, "WAIT", 20000) for i in range(1, 6)]
        for i, w in enumerate(waiters):
            self.assertEqual(self.connect().call("UNLOCK", "l", "o%d" % i), 1)
            higher = w.read()
            self.assertGreater(higher, fence)
            fence = higher

    def test_one_that_does_not_wait_is_refused(self):
        self.c.call("LOCK", "l", "a", 60000)
        self.assertIsNone(self.connect().call("LOCK", "l", "b", 60000))
        self.assertIsNone(self.connect().call("LOCK", "l", "b", 60000, "WAIT", 30))

    def test_a_repeated_request_has_the_same_fence(self):
        fence = self.c.call("LOCK", "l", "a", 60000)
        self.assertEqual(self.connect().call("LOCK", "l", "a", 60000), fence)

    def test_a_lease_ends_by_itself(self):
        self.c.call("LOCK", "l", "a", 30)
        self.assertGreater(self.connect().call("LOCK", "l", "b", 60000, "WAIT", 20000), 0)
        self.assertEqual(self.c.call("UNLOCK", "l", "a"), 0)
        self.assertIsNone(self.connect().call("LOCK", "l", "c", 60000))

    def test_relock(self):
        self.c.call("LOCK", "l", "a", "INF")
        self.assertEqual(self.c.call("RELOCK", "l", "b", 60000), 0)
        self.assertEqual(self.c.call("RELOCK", "l", "a", 10), 1)
        wait_until(lambda: self.c.call("LOCKINFO", "l") is None)
        self.assertEqual(self.c.call("RELOCK", "l", "a", 10), 0)

    def test_lockinfo(self):
        fence = self.c.call("LOCK", "l", "a", "INF", "BOUND")
        self.waiting("lock_waiters", "LOCK", "l", "b", 60000, "WAIT", 20000)
        self.assertEqual(self.c.call("LOCKINFO", "l"), [b"a", -1, fence, 1, 1])
        self.c.call("RELOCK", "l", "a", 60000)
        self.assertLessEqual(self.c.call("LOCKINFO", "l")[1], 60000)
        self.assertIsNone(self.c.call("LOCKINFO", "other"))

    def test_a_bound_lock_ends_with_its_connection_and_another_does_not(self):
        a = self.connect()
        a.call("LOCK", "bound", "a", "INF", "BOUND")
        a.call("LOCK", "free", "a", "INF")
        w = self.waiting("lock_waiters", "LOCK", "bound", "b", 60000, "WAIT", 20000)
        a.close()
        self.assertGreater(w.read(), 0)
        self.assertEqual(self.c.call("LOCKINFO", "free")[0], b"a")
        self.assertEqual(self.c.call("UNLOCK", "free", "a"), 1)

    def test_a_killed_holder_frees_its_bound_lock(self):
        for how in ("plain", "fork"):
            with self.subTest(how=how):
                p, fence = self.client_process(how, "LOCK", "l", "a", "INF", "BOUND")
                self.assertGreater(int(fence), 0)
                if how == "fork":
                    self.addCleanup(os.kill, int(p.stdout.readline()), signal.SIGKILL)
                w = self.waiting("lock_waiters", "LOCK", "l", "b", 60000, "WAIT", 20000)
                p.send_signal(signal.SIGKILL)
                self.assertGreater(w.read(), int(fence))
                w.call("UNLOCK", "l", "b")

    def test_a_waiter_that_hangs_up_is_passed_over(self):
        self.c.call("LOCK", "l", "a", 60000)
        first = self.waiting("lock_waiters", "LOCK", "l", "b", 60000, "WAIT", 20000)
        second = self.waiting("lock_waiters", "LOCK", "l", "c", 60000, "WAIT", 20000)
        first.close()
        wait_until(lambda: info(self.c)["lock_waiters"] == "1")
        self.c.call("UNLOCK", "l", "a")
        self.assertGreater(second.read(), 0)

    def test_force(self):
        self.connect().call("LOCK", "l", "a", "INF")
        self.assertEqual(self.c.call("UNLOCK", "l", "FORCE"), 1)
        self.assertEqual(self.c.call("UNLOCK", "l", "FORCE"), 0)
        self.assertTrue(self.c.call("LOCK", "l", "FORCE", 10).text.startswith("BADLOCK "))

    def test_what_happens_to_keys_leaves_locks_alone(self):
        fence = self.c.call("LOCK", "l", "a", "INF")
        for command in (("SET", "l", "x"), ("DEL", "l"), ("DELPREFIX", "l"), ("FLUSHDB",), ("FLUSHALL",)):
            self.c.call(*command)
        self.assertEqual(self.c.call("LOCKINFO", "l")[2], fence)
        self.assertEqual(self.c.call("DBSIZE"), 0)

    def test_flushlocks(self):
        for name in ("p.1", "p.2", "q"):
            self.c.call("LOCK", name, "a", "INF")
        w = self.waiting("lock_waiters", "LOCK", "p.2", "b", 60000, "WAIT", 20000)
        self.assertEqual(self.c.call("FLUSHLOCKS", "p."), 2)
        self.assertGreater(w.read(), 0)
        self.assertIsNotNone(self.c.call("LOCKINFO", "q"))
        self.assertEqual(self.c.call("FLUSHLOCKS", ""), 2)

    def test_databases_have_locks_of_their_own(self):
        self.c.call("LOCK", "l", "a", "INF")
        other = self.connect()
        other.call("SELECT", 1)
        self.assertGreater(other.call("LOCK", "l", "b", "INF"), 0)
        self.assertEqual(other.call("FLUSHLOCKS", ""), 1)

    def test_two_handles_of_a_party_do_not_wait_for_each_other(self):
        self.c.call("LOCK", "l", "a", "INF", "PARTY", 5)
        self.assertIsNone(self.connect().call("LOCK", "l", "b", "INF", "WAIT", 20000, "PARTY", 5))

    def test_of_64_who_race_one_has_the_lock(self):
        granted = []

        def race(i):
            with self.daemon.connect() as c:
                if c.call("LOCK", "x", "racer-%d" % i, "INF") is not None:
                    granted.append(i)

        threads = [threading.Thread(target=race, args=(i,)) for i in range(64)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(granted), 1)

    def test_fences_rise_over_a_restart(self):
        with Daemon() as d:
            with d.connect() as c:
                fence = c.call("LOCK", "l", "a", "INF")
            d.stop()
            d.start()
            with d.connect() as c:
                self.assertGreater(c.call("LOCK", "l", "a", "INF"), fence)

    def test_reset_ends_what_is_bound(self):
        a = self.connect()
        a.call("LOCK", "l", "a", "INF", "BOUND")
        a.call("RESET")
        self.assertIsNone(self.c.call("LOCKINFO", "l"))

    def test_bad_input_is_named(self):
        for command in (("LOCK", "", "a", 10), ("LOCK", "l", "", 10), ("LOCK", "l", "a", 0), ("LOCK", "l", "a", -1),
                        ("LOCK", "l", "a", "nan"), ("LOCK", "l", "a", 10, "WAIT", -1), ("LOCK", "n" * 4097, "a", 10),
                        ("LOCK", "l", "o" * 257, 10), ("LOCK", "l", "a", 10, "PARTY", "x"), ("RELOCK", "l", "a", 0)):
            with self.subTest(command=command):
                reply = self.c.call(*command)
                self.assertIsInstance(reply, RespError)
                self.assertTrue(reply.text.startswith("BADLOCK "), reply.text)
        self.assertEqual(self.c.call("LOCK", "l", "a", 10, "WAIT"), RespError("ERR syntax error"))


class Throttle(WithDaemon):
    def test_a_burst_and_then_no_more(self):
        for left in (2, 1, 0):
            self.assertEqual(self.c.call("THROTTLE", "ip", 3, 600000)[:4], [1, 3, left, -1])
        allowed, limit, remaining, retry, reset = self.c.call("THROTTLE", "ip", 3, 600000)
        self.assertEqual((allowed, limit, remaining), (0, 3, 0))
        self.assertTrue(190000 < retry <= 200000 and 590000 < reset <= 600000)

    def test_a_rate_limit_is_no_value(self):
        self.c.call("THROTTLE", "ip", 3, 600000)
        for command in (("GET", "ip"), ("INCR", "ip"), ("TGET", "ip"), ("TGET", "ip", "STALE"), ("TPULL", "ip")):
            self.assertTrue(self.c.call(*command).text.startswith("WRONGTYPE "), command)
        self.assertEqual(self.c.call("MGET", "ip"), [None])
        self.assertEqual(self.c.call("TMGET", "ip"), [None])
        self.c.call("SET", "v", 1)
        self.assertTrue(self.c.call("THROTTLE", "v", 3, 1000).text.startswith("WRONGTYPE "))

    def test_it_survives_a_restart_in_the_snapshot(self):
        with Daemon(start=False) as d:
            d.options = ["--snapshot", os.path.join(d.directory, "snapshot")]
            d.start()
            with d.connect() as c:
                for _ in range(3):
                    c.call("THROTTLE", "ip", 3, 600000)
            d.stop()
            d.start()
            with d.connect() as c:
                wait_until(lambda: c.call("PING") == "PONG")
                self.assertEqual(c.call("THROTTLE", "ip", 3, 600000)[0], 0)

    def test_bad_input_is_named(self):
        for command in (("THROTTLE", "k", 0, 1000), ("THROTTLE", "k", 1, 0), ("THROTTLE", "k", 1, 1000, -1)):
            self.assertIn("limit must be", self.c.call(*command).text)
        self.assertEqual(self.c.call("THROTTLE", "k", "x", 1),
                         RespError("ERR value is not an integer or out of range"))


if __name__ == "__main__":
    unittest.main()
