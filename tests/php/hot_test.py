"""Freshness of decoded values: one process overwrites, deletes, deletes by prefix and lets expire while four read the same
keys hot, two of them in one long request (counted values), two in request after request (values that outlive them). No
read that began after a write was acknowledged may return what was there before.

COPPICE_HOT_SECONDS: how long (4 if it is not set). COPPICE_TEST_SEED: of the writer's order."""

import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import servers

SECONDS = float(os.environ.get("COPPICE_HOT_SECONDS", "4"))
SEED = int(os.environ.get("COPPICE_TEST_SEED", random.randrange(1 << 31)))
HERE = os.path.dirname(os.path.abspath(__file__))
BOARD = "require '%s/hot_board.php'; $board = new Board((int) $argv[1]%s); %s"


def php_cgi():
    """The php-cgi of the same version, or None."""
    fpm = servers.php_fpm() or ""
    version = os.path.basename(fpm).replace("php-fpm", "")
    return shutil.which("php-cgi" + version)


class HotTest(unittest.TestCase):
    def setUp(self):
        self.owner = servers.Owner("--max-memory", "64M")
        self.addCleanup(self.owner.stop)
        self.board = str(random.randrange(1, 1 << 31))
        self.faults = os.path.join(self.owner.directory, "faults")
        open(self.faults, "w").close()

    def settings(self, *more):
        settings = ["extension=shmop", "extension=" + servers.EXTENSION, 'coppice.dsn="unix://' + self.owner.socket + '?timeout=60"', "max_execution_time=0", "html_errors=0", *more]
        return ["-n"] + [argument for setting in settings for argument in ("-d", setting)]

    def php(self, code):
        done = subprocess.run(["php", *self.settings(), "-r", code, "--", self.board], capture_output=True, text=True)
        self.assertEqual("", done.stderr)
        return done.stdout

    def run_for(self, seconds, least_hits, *more):
        self.php(BOARD % (HERE, ", true", "for ($i = 0; $i < Board::WORDS; $i++) $board->set($i, 0);"))
        self.addCleanup(self.php, BOARD % (HERE, "", "$board->delete();"))
        workers = []
        script = os.path.join(HERE, "hot_worker.php")
        cgi = php_cgi()
        with open(os.path.join(self.owner.directory, "output"), "w+") as output:
            for number in range(4):
                if number < 2 or cgi is None:
                    command = ["php", *self.settings(*more), script, self.board, str(number), self.faults]
                else:
                    command = [cgi, "-q", *self.settings(*more), "-T", "1000000", script]
                environment = {name: value for name, value in os.environ.items() if name not in ("REQUEST_METHOD", "SERVER_NAME", "SERVER_SOFTWARE")}
                environment.update(HOT_BOARD=self.board, HOT_WORKER=str(number), HOT_FAULTS=self.faults)
                workers.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment))
            writer = subprocess.run(["php", *self.settings(*more), os.path.join(HERE, "hot_writer.php"), self.board, str(seconds), str(SEED)], capture_output=True, text=True)
            # A worker in php-cgi would go on with empty requests.
            alive = [worker.poll() is None or (number < 2 or cgi is None) for number, worker in enumerate(workers)]
            for number, worker in enumerate(workers):
                if number >= 2 and cgi is not None:
                    worker.terminate()
                worker.wait()
            output.seek(0)
            said = [line for line in output.read().splitlines() if line.strip() and "Elapsed time" not in line]
        self.assertEqual([True] * 4, alive)
        self.assertEqual([], said[:10])
        result = json.loads(writer.stdout)
        self.assertNotIn("error", result)
        counts = json.loads(self.php(BOARD % (HERE, "", "for ($w = 0; $w < 4; $w++) for ($i = 0; $i < 3; $i++) $all[$w][] = $board->get(Board::worker($w, $i)); echo json_encode($all);")))
        with open(self.faults) as faults:
            self.assertEqual([], faults.read().splitlines()[:20], f"seed {SEED}")
        print(f"\n{sum(result['writes'].values()):,} writes {result['writes']}, reads and hits of the table: {[tuple(c[:2]) for c in counts]}", file=sys.stderr)
        self.assertEqual(5, len(result["writes"]), "each kind of write was made")
        for reads, hits, faults in counts:
            self.assertEqual(0, faults)
            self.assertGreaterEqual(reads, 2000)
            self.assertGreater(hits, least_hits, "the reads were not hot")

    def test_no_read_is_older_than_what_was_acknowledged(self):
        self.run_for(SECONDS, 100)

    def test_the_same_with_a_table_that_is_too_small(self):
        self.run_for(SECONDS / 2, 0, "coppice.decoded_memory=300K")


if __name__ == "__main__":
    if shutil.which("php") is None:
        print("no php: skipped")
        sys.exit(77)
    unittest.main()
