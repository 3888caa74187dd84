"""Freshness of remember(): two processes change sources and invalidate what was computed from them, by every way that there
is; four processes remember. After an invalidation has returned, no read may give an older value.

COPPICE_REMEMBER_SECONDS: how long (4 if it is not set). COPPICE_TEST_SEED: of the processes' choices."""

import json
import os
import random
import shutil
import sys
import unittest

import servers

SECONDS = float(os.environ.get("COPPICE_REMEMBER_SECONDS", "4"))
SEED = int(os.environ.get("COPPICE_TEST_SEED", random.randrange(1 << 31)))


class RememberTest(servers.PhpProcesses):
    def test_no_read_is_older_than_an_invalidation_that_has_returned(self):
        worker = os.path.join(servers.HERE, "remember_worker.php")
        processes = [self.php(worker, self.words, role, str(number), str(SECONDS), str(SEED))
                     for role, many in (("writer", 2), ("reader", 4)) for number in range(many)]
        results = [process.communicate(timeout=SECONDS + 120)[0] for process in processes]
        counts = [json.loads(result) if result.startswith("{") and result.count("\n") == 1 else result for result in results]
        self.assertEqual([], [count for count in counts if not isinstance(count, dict)])
        with open(self.faults) as faults:
            self.assertEqual([], faults.read().splitlines()[:20], f"seed {SEED}")
        print("\n" + "\n".join(map(str, counts)), file=sys.stderr)
        for writer in counts[:2]:
            self.assertEqual(5, len(writer), "each way of invalidation was taken")
        for reader in counts[2:]:
            self.assertGreater(reader["reads"], 20 * SECONDS)
            self.assertGreater(reader["computed"], 0)
            self.assertLess(reader["computed"], reader["reads"])


if __name__ == "__main__":
    if shutil.which("php") is None:
        print("no php: skipped")
        sys.exit(77)
    unittest.main()
