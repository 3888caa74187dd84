"""Real clients do their real work, on coppiced as on redis-server: locks by redis-py's and phpredis's own scripts."""

import os
import random
import shutil
import subprocess
import sys
import unittest

from harness import Daemon, Redis

DEBIAN = "/usr/lib/python3/dist-packages"
try:
    import redis
except ImportError:
    sys.path.append(DEBIAN)  # another interpreter's
    try:
        import redis
    except ImportError:
        redis = None


@unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = Redis()
        cls.addClassCleanup(cls.redis.__exit__)
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__)

    @unittest.skipUnless(redis, "redis-py is not installed")
    def test_scripts_of_redis_py_do_what_lua_does(self):
        from redis.lock import Lock
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        scripts = [(Lock.LUA_RELEASE_SCRIPT, 1), (Lock.LUA_EXTEND_SCRIPT, 3), (Lock.LUA_REACQUIRE_SCRIPT, 2)]
        with self.redis.connect() as theirs, self.daemon.connect() as ours:
            for script, _ in scripts:
                self.assertEqual(ours.call("script", "load", script), theirs.call("script", "load", script))
            for _ in range(500):
                script, count = draw.choice(scripts)
                setup = draw.choice([("del", "l"), ("set", "l", "me"), ("set", "l", "me", "ex", "1000"),
                                     ("set", "l", "you", "ex", "1000")])
                token = draw.choice(["me", "you", ""])
                arguments = [token, draw.choice(["100000", "1000000", "0", "-1"]), draw.choice(["0", "1"])][:count]
                answers = []
                for c in (ours, theirs):
                    c.call(*setup)
                    answers.append((c.call("eval", script, 1, "l", *arguments), c.call("exists", "l"),
                                    round(c.call("pttl", "l") / 10000)))
                with self.subTest(seed=seed, script=script, setup=setup, arguments=arguments):
                    self.assertEqual(answers[0], answers[1])

    @unittest.skipUnless(redis, "redis-py is not installed")
    def test_redis_py(self):
        for server in (self.redis, self.daemon):
            with self.subTest(server=type(server).__name__):
                client = redis.Redis(unix_socket_path=server.path, decode_responses=True)
                self.addCleanup(client.close)
                client.flushall()
                lock = client.lock("lock", timeout=100)
                self.assertTrue(lock.acquire(blocking=False))
                other = client.lock("lock", timeout=100)
                self.assertFalse(other.acquire(blocking=False))
                self.assertTrue(lock.extend(100))
                self.assertGreater(client.ttl("lock"), 150)
                self.assertTrue(lock.reacquire())
                self.assertLessEqual(client.ttl("lock"), 100)
                lock.release()
                self.assertRaises(redis.exceptions.LockError, lock.release)
                self.assertTrue(other.acquire(blocking=False))
                other.release()

                def add_one(pipe):
                    value = int(pipe.get("n") or 0)
                    pipe.multi()
                    pipe.set("n", value + 1)
                    pipe.getset("last", value)
                self.assertEqual(client.transaction(add_one, "n"), [True, None])
                with client.pipeline() as pipe:
                    pipe.watch("n")
                    client.incr("n")
                    pipe.multi()
                    pipe.set("n", 100)
                    self.assertRaises(redis.exceptions.WatchError, pipe.execute)
                self.assertEqual(client.get("n"), "2")
                self.assertEqual(client.incrbyfloat("f", 0.5), 0.5)
                self.assertEqual(client.getdel("f"), "0.5")

    def php(self, server, code, *settings):
        directory = self.daemon.directory
        source = os.path.join(directory, "client.php")
        with open(source, "w") as file:
            file.write("<?php\nerror_reporting(E_ALL);\n$path = %r;\n" % server.path + code)
        arguments = [a for s in settings for a in ("-d", s)]
        done = subprocess.run(["php", *arguments, source], capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr

    def setUp(self):
        self.has_phpredis = shutil.which("php") and "redis" in subprocess.run(
            ["php", "-m"], capture_output=True, text=True).stdout.split()

    def test_phpredis(self):
        if not self.has_phpredis:
            self.skipTest("phpredis is not installed")
        code = """
$r = new Redis;
$r->connect($path);
$r->flushAll();
$out = [$r->set('k', 'v', ['nx', 'ex' => 100]), $r->set('k', 'w', ['nx']), $r->getSet('k', 'x'), $r->ttl('k')];
$out[] = $r->multi()->set('a', 1)->incr('a')->get('a')->exec();
$r->watch('a');
$out[] = $r->multi()->discard();
$out[] = $r->append('k', 'yz');
$out[] = $r->getRange('k', 0, 1);
$out[] = $r->setRange('k', 1, 'Q');
$out[] = $r->incrByFloat('f', 1.25);
$out[] = $r->msetnx(['m1' => 1, 'm2' => 2]);
$out[] = $r->rename('m1', 'm3');
$out[] = $r->renameNx('m3', 'm2');
$out[] = $r->pipeline()->get('k')->mget(['a', 'm2', 'none'])->exec();
echo json_encode($out);
"""
        self.assertEqual(self.php(self.daemon, code), self.php(self.redis, code))

    def test_sessions_of_phpredis_with_locks(self):
        if not self.has_phpredis:
            self.skipTest("phpredis is not installed")
        code = """
session_id('abc');
session_start();
$_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
$r = new Redis;
$r->connect($path);
$held = count($r->keys('*LOCK*'));
session_write_close();
echo $_SESSION['n'], ' ', $held, ' ', count($r->keys('*LOCK*')), "\\n";
"""
        for server in (self.redis, self.daemon):
            with server.connect() as c:
                c.call("flushall")
            settings = ["session.save_handler=redis", "session.save_path=unix://%s" % server.path,
                        "redis.session.locking_enabled=1", "redis.session.lock_expire=60", "session.use_cookies=0",
                        "session.cache_limiter="]
            with self.subTest(server=type(server).__name__):
                self.assertEqual([self.php(server, code, *settings) for _ in range(3)], ["1 1 0\n", "2 1 0\n", "3 1 0\n"])


if __name__ == "__main__":
    unittest.main()
