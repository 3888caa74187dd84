"""redis-benchmark's default tests of the commands that are there, with and without pipelines: it stops at the first error reply."""

import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from check import LONG, PORT, SOCKET, case, run_all, same, true  # noqa: E402

REQUESTS = 1000000 if LONG else 20000


def cli(*arguments):
    return subprocess.run(["redis-cli", "-s", SOCKET, *arguments], capture_output=True, text=True).stdout


def bench(*arguments):
    done = subprocess.run(["redis-benchmark", "--csv", "-n", str(REQUESTS), "-r", "1000", *arguments],
                          capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
    same(done.returncode, 0, done.stdout + done.stderr)
    true("rror" not in done.stdout + done.stderr, done.stdout + done.stderr)
    rows = list(csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"')))
    return {row["test"]: float(row["rps"]) for row in rows}


def calls():
    return int(dict(line.split(":", 1) for line in cli("info", "stats").splitlines() if ":" in line)["total_commands_processed"])


@case
def strings_of_many_clients():
    before = calls()
    rates = bench("-s", SOCKET, "-t", "ping,set,get,incr,mset", "-c", "50", "-d", "256")
    same(len(rates), 6)
    true(all(rate > 0 for rate in rates.values()), rates)
    true(calls() - before >= 6 * REQUESTS, "every request was answered")
    true(0 < int(cli("dbsize")) <= 2001, cli("dbsize"))


@case
def pipelined_over_tcp():
    before = calls()
    rates = bench("-p", str(PORT), "-t", "set,get", "-c", "20", "-P", "16")
    same(len(rates), 2)
    true(calls() - before >= 2 * REQUESTS, "every request was answered")


@case
def several_threads():
    same(len(bench("-p", str(PORT), "--threads", "2", "-t", "get", "-c", "20", "-P", "4")), 1)


@case
def a_command_of_ones_own():
    rates = bench("-s", SOCKET, "-c", "10", "set", "own:__rand_int__", "v", "ex", "1000")
    same(len(rates), 1)
    true(0 < int(cli("dbsize")) <= 1000, cli("dbsize"))
    true(int(cli("ttl", cli("randomkey").strip())) > 900, "with a time to live")


def clean():
    cli("flushall")


run_all(before=clean)
