"""Deaths of holders: six processes take locks and compute under leases, and are killed at random points, for a while. No two
hold a lock at once, no lock or lease outlives its rules, and nobody hangs.

COPPICE_LOCKS_SECONDS: how long (4 if it is not set). COPPICE_TEST_SEED: of when whom is killed."""

import json
import os
import random
import shutil
import sys
import time
import unittest

import servers

SECONDS = float(os.environ.get("COPPICE_LOCKS_SECONDS", "4"))
SEED = int(os.environ.get("COPPICE_TEST_SEED", random.randrange(1 << 31)))
WORKERS = 6
# A lease of 0.5 s, six short holds before it, and a busy machine.
LONGEST_WAIT = 10


class LocksTest(servers.PhpProcesses):
    WORDS = 16

    def setUp(self):
        super().setUp()
        self.output = open(os.path.join(self.owner.directory, "output"), "w+")
        self.addCleanup(self.output.close)

    def worker(self, number, seed):
        return self.php(os.path.join(servers.HERE, "locks_worker.php"), self.words, str(number), str(seed), output=self.output)

    def check(self, seconds):
        return self.php(os.path.join(servers.HERE, "locks_check.php"), str(seconds))

    def test_no_lock_or_lease_outlives_its_rules(self):
        dice = random.Random(SEED)
        workers = [self.worker(number, dice.randrange(1 << 31)) for number in range(WORKERS)]
        killed = 0
        try:
            check = self.check(SECONDS)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                time.sleep(dice.random() * 0.15)
                number = dice.randrange(WORKERS)
                self.assertIsNone(workers[number].poll(), "a worker ended by itself")
                workers[number].kill()
                workers[number].wait()
                killed += 1
                workers[number] = self.worker(number, dice.randrange(1 << 31))
            during = check.communicate(timeout=120)[0]
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
        # Nobody is left: bound locks and leases are free at once, the others when their leases end.
        after = self.check(0).communicate(timeout=120)[0]
        with open(self.faults) as faults:
            self.assertEqual([], faults.read().splitlines()[:20], f"seed {SEED}")
        self.output.seek(0)
        self.assertEqual([], self.output.read().splitlines()[:20])
        print(f"\n{killed} killed; longest waits {during.strip()}, with nobody left {after.strip()}", file=sys.stderr)
        during, after = json.loads(during), json.loads(after)
        self.assertGreater(killed, 2 * SECONDS)
        self.assertGreater(during["rounds"], SECONDS)
        self.assertLess(max(during["locks"], during["values"], after["locks"], after["values"]), LONGEST_WAIT)


if __name__ == "__main__":
    if shutil.which("php") is None:
        print("no php: skipped")
        sys.exit(77)
    unittest.main()
