"""redis-cli's ways of working: commands from arguments and from a file, --scan, --bigkeys, --memkeys, --latency, --pipe, its help."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from check import LONG, PORT, SOCKET, case, own, run_all, same, true  # noqa: E402

MANY = 200000 if LONG else 20000


def cli(*arguments, feed=None, tcp=False, status=0):
    where = ["-p", str(PORT)] if tcp else ["-s", SOCKET]
    done = subprocess.run(["redis-cli", *where, *arguments], input=feed, capture_output=True, timeout=300,
                          **({} if feed is not None else {"stdin": subprocess.DEVNULL}))
    if status is not None:
        same(done.returncode, status, (done.stdout + done.stderr).decode(errors="replace")[-500:])
    return (done.stdout + done.stderr).decode(errors="replace")


def fill():
    lines = b"".join(b"SET many:%d value%d\r\n" % (n, n) for n in range(MANY))
    return cli("--pipe", feed=lines)


@case
def a_bulk_load_by_pipe():
    said = fill()
    true(f"errors: 0, replies: {MANY}" in said, said)
    same(cli("dbsize"), f"{MANY}\n")
    same(cli("get", f"many:{MANY - 1}"), f"value{MANY - 1}\n")
    said = cli("--pipe", feed=b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n", status=1)
    true("errors: 1, replies: 2" in said and "not an integer" in said, said)


@case
def listing_by_prefix():
    fill()
    cli("mset", *[w for n in range(50) for w in (f"few:{n}", "v")])
    same(sorted(cli("--scan", "--pattern", "few:*").split()), sorted(f"few:{n}" for n in range(50)))
    same(len(cli("--scan").split()), MANY + 50)
    same(len(cli("--scan", "--pattern", "*:7").split()), 2)


@case
def big_keys():
    fill()
    cli("-x", "set", "big", feed=b"x" * 100000)
    said = cli("--bigkeys")
    true(re.search(r"Biggest string found '\"?big\"?' has 100000 bytes", said), said[-800:])
    true(f"Sampled {MANY + 1} keys in the keyspace!" in said, said[-800:])
    said = cli("--memkeys")
    true(re.search(r"Biggest string found '\"?big\"?' has 1\d\d\d\d\d bytes", said), said[-800:])


@case
def latency():
    for how in ("--latency", "--latency-history"):
        said = cli(how, "--raw", "-i", "1") if how == "--latency" else None
        if said is not None:
            numbers = said.split()
            true(len(numbers) == 4 and int(numbers[3]) > 10 and float(numbers[2]) < 1000, said)
    said = cli("--intrinsic-latency", "1")
    true("Max latency so far" in said, said[-300:])


@case
def commands_from_a_file_keep_their_order():
    feed = b"set a \"x y\\n\\xff\"\nstrlen a\nselect 2\nget a\nset b 1\nincr b\nselect 0\nget a\n"
    same(cli(feed=feed), "OK\n5\nOK\n\nOK\n2\nOK\nx y\n\ufffd\n")
    same(cli("-n", "2", "get", "b"), "2\n")
    same(cli("-r", "5", "incr", "n"), "1\n2\n3\n4\n5\n")
    same(cli("--no-raw", "get", "a"), '"x y\\n\\xff"\n')
    same(cli("--csv", "mget", "b", "n"), 'NULL,"5"\n')
    same(cli("-e", "incr", "a", status=1).strip(), "ERR value is not an integer or out of range")


@case
def the_protocol_of_resp_3():
    true("# Memory" in cli("-3", "info", "memory"), "INFO as verbatim text")
    said = cli("-3", "--no-raw", "hello")
    true('"proto" => (integer) 3' in said and '"server" => "redis"' in said, said)
    said = cli("-3", "--no-raw", "config", "get", "maxmemory-policy")
    true(said.startswith('1# "maxmemory-policy" => '), said)
    same(cli("-3", "--no-raw", "get", "none"), "(nil)\n")


@case
def over_tcp():
    same(cli("set", "k", "v", tcp=True), "OK\n")
    same(cli("--json", "get", "k", tcp=True), '"v"\n')
    same(cli("-u", f"redis://127.0.0.1:{PORT}/3", "set", "k", "three", tcp=True), "OK\n")
    same(cli("-n", "3", "get", "k"), "three\n")


@case
def help_comes_from_the_server():
    for command, words in (("SET", "key value ["), ("EXPIRE", "key seconds ["), ("CLIENT KILL", ""), ("CONFIG GET", ""), ("TTL", "key")):
        said = cli("help", *command.split()).replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[90m", "")
        true(f"{command} {words}" in said and "summary:" in said, said)
    true("SET" in cli("help", "@string") and "EXPIRE" in cli("help", "@generic"), "groups of commands")


@own
def help_knows_what_coppice_alone_has():
    said = cli("help", "delprefix")
    true("DELPREFIX" in said and "prefix" in said and "summary" in said, said)
    true("DELPREFIX" in cli("help", "@range"), "a group of its own")
    cli("mset", "a:1", "1", "a:2", "2", "b:1", "3")
    same(cli("delprefix", "a:"), "2\n")
    same(cli("--scan"), "b:1\n")


@case
def monitoring_a_subscription():
    process = subprocess.Popen(["redis-cli", "-s", SOCKET, "psubscribe", "c*"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        same([process.stdout.readline().strip() for _ in range(3)], ["psubscribe", "c*", "1"])
        same(cli("publish", "chan", "hello"), "1\n")
        same([process.stdout.readline().strip() for _ in range(4)], ["pmessage", "c*", "chan", "hello"])
    finally:
        process.kill()
        process.communicate()


@case
def statistics():
    process = subprocess.Popen(["redis-cli", "-s", SOCKET, "--stat", "-i", "0.05"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        head = [process.stdout.readline() for _ in range(3)]
        true("keys" in head[1] and "requests" in head[1], "".join(head))
        true(re.match(r"\d+ +\S+ +\d+ ", head[2]), head[2])
    finally:
        process.kill()
        process.communicate()


def clean():
    cli("flushall")


run_all(before=clean)
