"""Decoded values under PHP-FPM: several children, many requests, values kept in statics, constants, sessions and globals,
keys replaced meanwhile.

COPPICE_FPM_REQUESTS: how many requests (1,000 if it is not set)."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import threading
import unittest

import servers

REQUESTS = int(os.environ.get("COPPICE_FPM_REQUESTS", "1000"))
KEYS = ["alpha", "beta", "gamma", "delta", "epsilon"]
CHILDREN = 4


class Traffic:
    """Requests from several threads at once. Each write of a key has a number above the last."""

    def __init__(self, fpm):
        self.fpm = fpm
        self.lock = threading.Lock()
        self.writing = {key: threading.Lock() for key in KEYS}
        self.acknowledged = {key: 0 for key in KEYS}
        self.answers = []
        self.errors = []

    def request(self, number):
        key = KEYS[number % len(KEYS)]
        # The first write each key; then each seventh request writes.
        if number >= len(KEYS) and number % 7 != 0:
            return self._send({"session": number % 3})
        with self.writing[key]:
            with self.lock:
                n = self.acknowledged[key] + 1
            self._send({"session": number % 3, "write": key, "n": n})
            with self.lock:
                self.acknowledged[key] = n

    def _send(self, query):
        with self.lock:
            least = {key: n for key, n in self.acknowledged.items() if n > 0}
        if "write" in query:
            least.setdefault(query["write"], 0)
        text = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.fpm.get("kept.php", text + "&least=" + json.dumps(least).replace(" ", "").replace('"', "%22"))
        try:
            result = json.loads(answer.body)
        except ValueError:
            result = {"errors": [answer.body[:500].decode(errors="replace"), answer.errors[:500].decode(errors="replace")]}
        with self.lock:
            self.errors += result["errors"]
            self.answers.append(result)

    def run(self, requests):
        for number in range(len(KEYS)):
            self.request(number)
        with concurrent.futures.ThreadPoolExecutor(CHILDREN + 2) as pool:
            for outcome in [pool.submit(self.request, number) for number in range(len(KEYS), requests)]:
                outcome.result()


def opcache():
    """Settings that load OPcache with its JIT, or None where there is none."""
    php = shutil.which("php")
    probe = subprocess.run([php, "-n", "-d", "zend_extension=opcache", "-r", "echo extension_loaded('Zend OPcache') ? 'yes' : 'no';"],
                           capture_output=True, text=True)
    if probe.stdout != "yes":
        return None
    return ["zend_extension=opcache", "opcache.enable=1", "opcache.jit_buffer_size=32M", "opcache.jit=tracing"]


class FpmTest(unittest.TestCase):
    def setUp(self):
        if servers.php_fpm() is None:
            self.skipTest("there is no php-fpm of this PHP's version")
        self.owner = servers.Owner("--max-memory", "64M")
        self.addCleanup(self.owner.stop)

    def traffic(self, requests, children=CHILDREN, settings=(), valgrind=False):
        fpm = servers.Fpm(children, '"unix://' + self.owner.socket + '?timeout=60"', settings, valgrind)
        traffic = Traffic(fpm)
        try:
            before = fpm.children()
            traffic.run(requests)
            after = fpm.children()
        finally:
            found = fpm.stop()
        self.assertEqual([], found)
        self.assertEqual([], traffic.errors[:10])
        self.assertEqual(before, after, "a child died and was replaced")
        self.assertEqual(len(before), children)
        self.assertEqual(len(traffic.answers), requests)
        self.assertTrue({answer["pid"] for answer in traffic.answers} <= set(before))
        return traffic.answers

    def assert_flat(self, answers):
        """Each child's memory, when it had served half of its requests and at its end."""
        for pid in {answer["pid"] for answer in answers}:
            sizes = [answer["rss"] for answer in answers if answer["pid"] == pid]
            half = max(sizes[len(sizes) // 2 - len(sizes) // 8:len(sizes) // 2])
            end = max(sizes[-len(sizes) // 8:])
            self.assertLess(end - half, 4 << 20, f"child {pid} grew from {half} to {end} bytes in the second half")

    def assert_kept(self, answers, share):
        last = {answer["pid"]: answer for answer in answers}
        for answer in last.values():
            looked = answer["decoded_hits"] + answer["decoded_misses"]
            self.assertGreater(answer["decoded_hits"], share * looked, "the table answered too seldom")
            self.assertLessEqual(answer["decoded_bytes"], answer["decoded_limit"])

    def test_values_outlive_requests(self):
        answers = self.traffic(REQUESTS)
        self.assert_kept(answers, 0.5)
        self.assert_flat(answers)

    def test_values_outlive_requests_with_opcache_and_jit(self):
        settings = opcache()
        if settings is None:
            self.skipTest("there is no OPcache")
        answers = self.traffic(REQUESTS // 2, settings=settings)
        self.assert_kept(answers, 0.5)
        self.assert_flat(answers)

    def test_a_table_that_is_too_small(self):
        answers = self.traffic(REQUESTS // 4, settings=["coppice.decoded_memory=150K"])
        self.assert_kept(answers, 0.1)
        self.assert_flat(answers)

    def test_values_of_one_request(self):
        answers = self.traffic(REQUESTS // 4, settings=["coppice.decoded_scope=request"])
        self.assert_kept(answers, 0.3)
        self.assert_flat(answers)

    def test_switched_off(self):
        answers = self.traffic(REQUESTS // 10, settings=["coppice.decoded_memory=0"])
        self.assertEqual(0, max(answer["decoded_hits"] for answer in answers))

    def test_under_valgrind(self):
        if shutil.which("valgrind") is None:
            self.skipTest("there is no valgrind")
        answers = self.traffic(40, children=2, valgrind=True)
        self.assert_kept(answers, 0.3)


if __name__ == "__main__":
    if servers.php_fpm() is None:
        print("no php-fpm of this PHP's version: skipped")
        sys.exit(77)
    unittest.main()
