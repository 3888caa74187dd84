#!/usr/bin/env python3
"""Real clients do their real work on the real daemon. Started by scripts/test-clients, which installs them.

Each program beside this file is one client's. It finds a server of its own by COPPICE_SOCKET (path of the unix socket) and
COPPICE_PORT (TCP, loopback), does what its client is for, and prints a line for each check:
    ok NAME        not ok NAME: what was expected and what came        skip NAME: why
COPPICE_LONG=1 asks for the long checks too. Run with `--against redis` the same programs talk to redis-server, which proves
that what they expect is Redis's behaviour (what Coppice alone has, they leave out: COPPICE_SERVER=redis).

Faults that real caches had and a client over RESP can meet, and the programs that cover them:
  redis_py       an overwrite that other readers see as a miss; EX 0, -5 and abc answered with an error and nothing changed; a TTL near
                 2^63; RENAME k k; keys that differ in a byte above 0x7f or after a NUL; keys listed with upper and lower case as
                 they were written; words with one space, two spaces and none; é composed and decomposed; 31 days, 2038 and PHP_INT_MAX
                 as TTL; 10,001 bytes and 1 MiB come back whole; a prefix delete that counts and spares the neighbour (also after
                 an iteration over the same keys); a counter that starts below zero, whose first value is an integer, whose TTL an
                 increment neither drops nor extends; `noeviction` that refuses a write and keeps the old value; a small store under
                 a stream of 10 kB values keeps the newest; memory of entries that nobody reads again is given back after their
                 TTL; a worker reads at once what another wrote; 64 contenders, one lock; an absent server is a clear error
  redis_py_asyncio   the same client without threads: locks, pipelines, subscriptions, many connections at once
  redis_cli      listing by prefix among many keys; a bulk load through one connection; its help and its statistics
  redis_benchmark    pipelined commands from many clients
  hiredis        pipelines read in pieces, values larger than any buffer, replies of every type
  phpredis       each child of a fork with its own connection; a parent whose children ended; increments beside serializers
  phpredis_sessions  two requests of one session at once: the lock makes them follow one another
  predis1, predis3   transactions, scans and scripts of both lines of Predis
  laravel        a lock that ran out and was taken by another is not released by its first owner; an increment keeps the TTL of add();
                 a limiter that lets through as many as it should
  laravel_tags   equal keys under different tags; a flush of tags frees what they held, however many; what ran out leaves the tags
  symfony        clear() of one namespace spares the other; key names that PSR-6 forbids; numeric keys; two computed together are both saved
  symfony_tags   an item goes with any of its tags, and not with those that it lost
  symfony_lock   acquire again after the TTL; a fresh TTL after waiting
  node_redis5, node_redis6, ioredis5, ioredis6   client-side caching that hears of every change: expiry, deletion, a flush
  exporter       what an exporter of metrics reads is true
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "daemon"))
from harness import Daemon, Redis, info  # noqa: E402


class Program:
    """How one client's program is started; `needs` are files without which it is left out."""

    def __init__(self, name, *command, needs=(), options=(), environment=None):
        self.name = name
        self.command = command
        self.needs = needs
        self.options = options
        self.environment = environment or {}


def programs(build, python):
    def script(directory, name):
        return os.path.join(HERE, directory, name)

    def composer(project):
        return os.path.join(build, project, "vendor", "autoload.php")

    node = {"NODE_PATH": os.path.join(build, "node", "node_modules")}
    node_needs = [node["NODE_PATH"]]
    found = [
        Program("redis_py", python, script("python", "redis_py.py")),
        Program("redis_py_asyncio", python, script("python", "redis_py_asyncio.py")),
        Program("redis_cli", python, script("", "redis_cli.py")),
        Program("redis_benchmark", python, script("", "redis_benchmark.py")),
        Program("hiredis", os.path.join(build, "hiredis"), needs=[os.path.join(build, "hiredis")]),
        Program("phpredis", "php", script("php", "phpredis.php")),
        Program("phpredis_sessions", "php", script("php", "phpredis_sessions.php")),
    ]
    exporter = "/usr/bin/prometheus-redis-exporter"
    found.append(Program("exporter", python, script("", "exporter.py"), needs=[exporter]))
    for project in ("predis1", "predis3"):
        found.append(Program(project, "php", script("php", "predis.php"), composer(project), needs=[composer(project)]))
    for project in ("laravel12", "laravel13"):
        for library in ("phpredis", "predis"):
            for part in ("laravel", "laravel_tags"):
                found.append(Program(f"{part.replace('laravel', project)}_{library}", "php", script("php", part + ".php"), composer(project), library,
                                     needs=[composer(project)]))
    for library in ("phpredis", "predis"):
        for part in ("symfony", "symfony_tags", "symfony_lock"):
            found.append(Program(f"{part}_{library}", "php", "-d", "zend.assertions=1", script("php", part + ".php"), composer("symfony64"), library,
                                 needs=[composer("symfony64")]))
    for package in ("redis5", "redis6"):
        found.append(Program("node_" + package, "node", script("node", "node_redis.cjs"), package, needs=node_needs, environment=node))
    for package in ("ioredis5", "ioredis6"):
        found.append(Program(package, "node", script("node", "ioredis.cjs"), package, needs=node_needs, environment=node))
    return found


class Server:
    """One server for one program: coppiced, or redis-server for comparison."""

    def __init__(self, kind, options):
        self.kind = kind
        self.options = options

    def __enter__(self):
        if self.kind == "redis":
            with_port = ["--port", str(free_port())]
            self.server = Redis(*with_port, "--save", "")
        else:
            self.server = Daemon(*self.options, tcp=True)
        with self.server.connect() as c:
            self.port = info(c)["tcp_port"]
        return self

    def __exit__(self, *unused):
        self.server.__exit__(None, None, None)


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(program, kind, long):
    """Prints what the program says; (passed, failed, skipped)."""
    missing = [path for path in program.needs if not os.path.exists(path)]
    if missing:
        print(f"skip {program.name}: not installed", flush=True)
        return 0, 0, 1
    with Server(kind, program.options) as server, tempfile.TemporaryDirectory(prefix="coppice-clients-") as directory:
        environment = dict(os.environ, COPPICE_SOCKET=server.server.path, COPPICE_PORT=server.port, COPPICE_SERVER=kind,
                           COPPICE_LONG="1" if long else "", PYTHONDONTWRITEBYTECODE="1", TMPDIR=directory, **program.environment)
        started = time.monotonic()
        process = subprocess.Popen(program.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=environment, cwd=directory, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=1800 if long else 300)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            status = "a time-out"
        lines = output.decode("utf-8", "replace").splitlines()
        passed = sum(line.startswith("ok ") for line in lines)
        failed = sum(line.startswith("not ok ") for line in lines)
        skipped = sum(line.startswith("skip ") for line in lines)
        if failed == 0 and (status != 0 or passed + skipped == 0):
            lines.append(f"not ok {program.name}: ended with {status}")
            failed = 1
        if kind == "coppice" and server.server.process.poll() is not None:
            lines.append(f"not ok {program.name}: the daemon ended: {server.server.log()[-2000:]}")
            failed += 1
    for line in lines:
        if failed or line.startswith("skip "):
            print(line)
    print(f"{program.name}: {passed} passed, {failed} failed, {skipped} skipped in {time.monotonic() - started:.1f} s", flush=True)
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description="Runs real clients' programs against the daemon.")
    parser.add_argument("--build", required=True, help="where scripts/test-clients installed the clients")
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python that has redis-py")
    parser.add_argument("--against", choices=["coppice", "redis"], default="coppice")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", action="append", default=[], help="a program's name; may be given several times")
    arguments = parser.parse_args()
    chosen = programs(arguments.build, arguments.python)
    unknown = set(arguments.only) - {program.name for program in chosen}
    if unknown:
        parser.error("no program is called " + ", ".join(sorted(unknown)))
    total = [0, 0, 0]
    for program in chosen:
        if arguments.only and program.name not in arguments.only:
            continue
        total = [a + b for a, b in zip(total, run(program, arguments.against, arguments.long))]
    print("clients: %d passed, %d failed, %d skipped" % tuple(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
