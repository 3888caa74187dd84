"""A real Laravel application on a shared cache: in four long-lived workers at once, and under PHP-FPM with four children; with the
extension and with the package alone.

APPLICATION: a directory with laravel/laravel in it, this package required; its routes and environment are overwritten.
COPPICE_EXTENSION, COPPICED: what was built."""

import concurrent.futures
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "tests", "php"))

import fastcgi  # noqa: E402
import servers  # noqa: E402

APPLICATION = os.environ["APPLICATION"]
WORKERS, ROUNDS, REQUESTS = 4, 12, 240


class Fpm:
    """PHP-FPM with this machine's own php.ini, which Laravel needs extensions of."""

    def __init__(self, options, environment):
        self.directory = tempfile.mkdtemp(prefix="coppice-test-")
        self.socket = os.path.join(self.directory, "fpm")
        self.log = os.path.join(self.directory, "log")
        root = os.geteuid() == 0
        with open(os.path.join(self.directory, "fpm.conf"), "w") as conf:
            conf.write(f"[global]\nerror_log = {self.log}\ndaemonize = no\n[www]\nlisten = {self.socket}\npm = static\npm.max_children = {WORKERS}\n"
                       "catch_workers_output = yes\nclear_env = no\n" + ("user = root\ngroup = root\n" if root else ""))
        with open(os.path.join(self.directory, "output"), "w") as output:
            self.process = subprocess.Popen([servers.php_fpm(), "-F", "-y", os.path.join(self.directory, "fpm.conf")] + (["-R"] if root else []) + options,
                                            stdout=output, stderr=output, env=environment)
        for _ in range(1000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                try:
                    probe.connect(self.socket)
                    return
                except OSError:
                    time.sleep(0.01)
        raise RuntimeError("PHP-FPM did not start")

    def get(self, path):
        script = os.path.join(APPLICATION, "public", "index.php")
        answer = fastcgi.request(self.socket, script, timeout=60, SCRIPT_NAME="/index.php", REQUEST_URI=path, HTTP_HOST="localhost", SERVER_NAME="localhost",
                                 SERVER_PORT="80", DOCUMENT_ROOT=os.path.join(APPLICATION, "public"))
        return answer.body.decode(errors="replace")

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)
        shutil.rmtree(self.directory, ignore_errors=True)


class Application(unittest.TestCase):
    def setUp(self):
        self.owner = servers.Owner()
        self.addCleanup(self.owner.stop)
        shutil.copy(os.path.join(HERE, "application", "routes.php"), os.path.join(APPLICATION, "routes", "web.php"))
        self.environment = dict(os.environ, APP_ENV="testing", APP_DEBUG="true", APP_KEY="base64:" + "A" * 43 + "=", CACHE_STORE="coppice", SESSION_DRIVER="coppice",
                                COPPICE_DSN="unix://" + self.owner.socket, LOG_CHANNEL="stderr", DB_CONNECTION="sqlite", QUEUE_CONNECTION="sync")

    def check_workers(self, options):
        command = ["php", *options, os.path.join(HERE, "application", "worker.php"), APPLICATION, str(ROUNDS)]
        workers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment) for _ in range(WORKERS)]
        allowed = 0
        for worker in workers:
            out, errors = worker.communicate(timeout=300)
            self.assertEqual(0, worker.returncode, out + errors)
            told = json.loads(out.strip().splitlines()[-1])
            self.assertEqual([], told["wrong"][:5], errors)
            self.assertEqual(ROUNDS * 7, told["requests"])
            allowed += told["allowed"]
        self.assertEqual(min(50, WORKERS * ROUNDS), allowed)

    def check_figures(self, get, implementation, visits):
        figures = json.loads(get("/figures"))
        self.assertEqual({"implementation": implementation, "shared": True, "visits": visits, "computations": 1, "exclusive": visits, "removed": 10, "flushed": True, "left": None}, figures)

    def check_fpm(self, options, implementation):
        fpm = Fpm(options, self.environment)
        self.addCleanup(fpm.stop)
        paths = ["/ten", "/visit", "/report", "/limited", "/locked", "/tagged"] * (REQUESTS // 6)
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            bodies = list(threads.map(fpm.get, paths))
        answers = []
        for path, body in zip(paths, bodies):
            try:
                answers.append(json.loads(body))
            except ValueError:
                self.fail(f"{path}: {body[:2000]}")
        self.assertEqual([], [a for a in answers if a.get("right", True) is not True])
        self.assertEqual(min(50, REQUESTS // 6), sum(a.get("allowed", False) for a in answers))
        self.assertEqual(list(range(1, REQUESTS // 6 + 1)), sorted(a["n"] for a in answers if "n" in a))
        self.check_figures(fpm.get, implementation, REQUESTS // 6)

    def extension(self):
        return ["-d", "extension=" + servers.EXTENSION]

    def test_workers_with_the_extension(self):
        self.check_workers(self.extension())

    def test_workers_with_the_package(self):
        self.check_workers([])

    @unittest.skipUnless(servers.php_fpm(), "there is no php-fpm")
    def test_fpm_with_the_extension(self):
        self.check_fpm(self.extension(), "extension")

    @unittest.skipUnless(servers.php_fpm(), "there is no php-fpm")
    def test_fpm_with_the_package(self):
        self.check_fpm([], "package")

    def test_commands(self):
        artisan = lambda *arguments: subprocess.run(["php", os.path.join(APPLICATION, "artisan"), *arguments], capture_output=True, text=True, env=self.environment)  # noqa: E731
        self.assertIn("Removed 0 entries.", artisan("coppice:forget-prefix", "none.").stdout)
        self.assertIn("shared", artisan("coppice:stats").stdout)
        self.assertIn("Removed 0 expired entries.", artisan("coppice:prune").stdout)
        self.assertEqual(0, artisan("cache:clear", "coppice").returncode)


if __name__ == "__main__":
    unittest.main(verbosity=2)
