"""redis-py as an application's cache: values, counters, TTLs, groups, locks, pipelines, transactions, subscriptions."""

import multiprocessing
import threading
import time

import redis
from check import COPPICE, LONG, PORT, SOCKET, case, long, own, raises, run_all, same, true, until

ResponseError = redis.exceptions.ResponseError


def client(**more):
    return redis.Redis(unix_socket_path=SOCKET, **more)


c = client()


@case
def values_of_every_byte_and_size():
    whole = bytes(range(256))
    for n, value in enumerate([b"", b"0", whole, b"x" * 10001, b"\r\n" * 524288, whole * 4096, b"\xff\xfe"]):
        true(c.set(f"value{n}", value), "set")
        same(c.get(f"value{n}") == value, True, f"{len(value)} bytes")
        same(c.strlen(f"value{n}"), len(value))


@case
def keys_are_bytes():
    names = [b"\xff", b"\xfe", b"a\0", b"a\0b", b"a\0c", b"a", b"A", b"user name", b"user  name", b"username", b" ", b"'", b"\r\n",
             "é".encode(), "e\u0301".encode(), "ユニコード".encode(), b"email@address",
             b"sucMhozlYhsLz60ctUdZecTOTEGsC5cy:WirelessService.getListForSixGrid"]
    for n, name in enumerate(names):
        c.set(name, n)
    same([int(v) for v in c.mget(names)], list(range(len(names))))
    same(sorted(c.scan_iter(count=3)), sorted(names))
    same(sorted(c.keys("*")), sorted(names))
    same(c.dbsize(), len(names))
    same(c.delete(b"a\0b"), 1)
    same((c.get(b"a\0b"), c.get(b"a\0c"), c.get(b"a\0")), (None, b"4", b"2"))


@case
def a_bad_time_to_live_changes_nothing():
    c.set("k", "old", ex=100)
    for option in ("EX", "PX"):
        for bad in ("0", "-5", "9223372036854775807"):
            raises(ResponseError, "invalid expire time in 'set' command", c.execute_command, "SET", "k", "new", option, bad)
        raises(ResponseError, "value is not an integer or out of range", c.execute_command, "SET", "k", "new", option, "abc")
    raises(ResponseError, "invalid expire time in 'setex' command", c.setex, "k", 0, "new")
    raises(ResponseError, "invalid expire time in 'expire' command", c.expire, "k", 9223372036854775807)
    same(c.get("k"), b"old")
    true(90 < c.ttl("k") <= 100, "its time to live is as it was")


@case
def times_to_live_as_far_as_the_protocol_goes():
    for seconds in (2678400, 80 * 366 * 86400, 1 << 33):
        c.set("far", "v", ex=seconds)
        true(seconds - 5 <= c.ttl("far") <= seconds, f"{seconds} s: {c.ttl('far')}")
        same(c.get("far"), b"v")
    c.set("year 2100", "v", exat=4102444800)
    same(c.expiretime("year 2100") if hasattr(c, "expiretime") else c.execute_command("EXPIRETIME", "year 2100"), 4102444800)
    c.set("gone", "v", px=1)
    until(lambda: c.get("gone") is None)
    same((c.exists("gone"), c.ttl("gone")), (0, -2))
    until(lambda: c.dbsize() == 2)


@case
def overwriting_is_no_miss():
    c.set("k", b"a" * 2000)
    stop = threading.Event()

    def write():
        with client() as mine:
            n = 0
            while not stop.is_set():
                mine.set("k", bytes([97 + n % 26]) * (1 + n % 3000))
                n += 1
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3000):
            value = c.get("k")
            true(value is not None and value == value[:1] * len(value), f"a miss, or a mixture: {value!r:.40}")
    finally:
        stop.set()
        writer.join()


@case
def renaming():
    c.set("k", "v", ex=100)
    true(c.rename("k", "k"), "onto itself")
    same(c.get("k"), b"v")
    c.set("other", "w")
    same(c.renamenx("k", "other"), False)
    c.rename("k", "other")
    same((c.get("other"), c.exists("k")), (b"v", 0))
    true(c.ttl("other") > 90, "the time to live goes with it")
    raises(ResponseError, "no such key", c.rename, "none", "x")


@case
def counters():
    same(c.incr("a", -1), -1)
    same(c.incr("b"), 1)
    same(c.get("b"), b"1")
    c.set("n", 0, ex=60, nx=True)
    for _ in range(10):
        c.incr("n")
    true(0 < c.ttl("n") <= 60, "an increment keeps the time to live")
    before = c.pttl("n")
    time.sleep(0.02)
    c.incrby("n", 5)
    true(c.pttl("n") < before, "an increment does not extend it")
    c.set("text", "abc")
    raises(ResponseError, "value is not an integer or out of range", c.incr, "text")
    c.set("n", "9223372036854775807")
    raises(ResponseError, "increment or decrement would overflow", c.incr, "n")
    same(c.get("n"), b"9223372036854775807")
    same(c.incrbyfloat("f", 0.1) + c.incrbyfloat("f", 0.2), 0.4)


@case
def counting_together():
    def count():
        with client() as mine:
            for _ in range(500):
                mine.incr("together")
    threads = [threading.Thread(target=count) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(c.get("together"), b"4000")


@case
def pipelines():
    with c.pipeline(transaction=False) as pipe:
        for n in range(10000):
            pipe.set(f"p{n}", n, ex=1000)
        same(pipe.execute(), [True] * 10000)
        for n in range(10000):
            pipe.get(f"p{n}")
        same([int(v) for v in pipe.execute()], list(range(10000)))
        pipe.set("text", "abc").incr("text").get("text")
        answers = pipe.execute(raise_on_error=False)
        same((answers[0], type(answers[1]), answers[2]), (True, ResponseError, b"abc"))


@case
def optimistic_transactions():
    c.set("balance", 0)

    def deposit(pipe):
        value = int(pipe.get("balance"))
        pipe.multi()
        pipe.set("balance", value + 1)

    def work():
        with client() as mine:
            for _ in range(50):
                mine.transaction(deposit, "balance")
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(c.get("balance"), b"200")
    with c.pipeline() as pipe:
        pipe.set("a", 1).execute_command("NOSUCH", 1)
        raises(ResponseError, "unknown command", pipe.execute)
    same(c.exists("a"), 0)


@case
def iterating_while_keys_come_and_go():
    stay = {b"stay:%d" % n for n in range(2000)}
    c.mset({key: 1 for key in stay})
    c.mset({b"go:%d" % n: 1 for n in range(2000)})
    seen = set()
    for n, key in enumerate(c.scan_iter(count=10)):
        seen.add(key)
        if n % 3 == 0:
            c.delete(b"go:%d" % (n // 3))
        c.set(b"new:%d" % n, 1) if n < 500 else None
    true(stay <= seen, f"{len(stay - seen)} keys were not listed")
    same({key for key in c.scan_iter("stay:1*")}, {key for key in stay if key.startswith(b"stay:1")})
    for key in c.scan_iter("stay:*", count=7):
        c.delete(key)
    same(len(list(c.scan_iter("stay:*"))), 0)
    raises(ResponseError, "invalid cursor", c.execute_command, "SCAN", "abc")


@case
def databases():
    with client(db=3) as three:
        c.set("k", "zero")
        three.set("k", "three")
        same((c.get("k"), three.get("k")), (b"zero", b"three"))
        three.flushdb()
        same((c.get("k"), three.get("k"), three.dbsize()), (b"zero", None, 0))
        same(c.move("k", 3), True)
        same((c.get("k"), three.get("k")), (None, b"zero"))
        c.swapdb(0, 3)
        same((c.get("k"), three.get("k")), (b"zero", None))
    raises(redis.exceptions.ResponseError, "DB index is out of range", client(db=16).ping)


@own
def groups_by_prefix():
    c.mset({"a.1": 1, "a.2": 2, "ab.1": 3})
    same(c.execute_command("DELPREFIX", "a."), 2)
    same((c.exists("a.1", "a.2"), c.get("ab.1")), (0, b"3"))
    c.mset({f"my_key_{n}": n for n in range(5)})
    same(len(list(c.scan_iter("my_key_*", count=1))), 5)
    same(c.execute_command("COUNTPREFIX", "my_key_"), 5)
    same(c.execute_command("DELPREFIX", "my_key_"), 5)
    same(list(c.scan_iter("my_key_*")), [])
    c.mset({"group1:a": 1, "group2:a": 1, "group10:a": 1})
    same(c.execute_command("DELPREFIX", "group1:"), 1)
    same(c.exists("group10:a", "group2:a"), 2)


@own
def memory_has_a_limit_that_no_write_passes():
    same(c.config_get("maxmemory-policy")["maxmemory-policy"] != "", True)
    limit, policy = c.config_get("maxmemory")["maxmemory"], c.config_get("maxmemory-policy")["maxmemory-policy"]
    try:
        c.config_set("maxmemory", 32 << 20)
        c.config_set("maxmemory-policy", "noeviction")
        c.set("old", "value")
        refused = 0
        for n in range(4000):
            try:
                c.set(f"fill:{n}", bytes([n % 256]) * 10000)
            except ResponseError as error:
                true(str(error) == "OOM command not allowed when used memory > 'maxmemory'." and n > 2000, f"{error} at {n}")
                refused += 1
        true(refused > 0, "some are refused")
        raises(ResponseError, "OOM command not allowed when used memory > 'maxmemory'.", c.set, "fill:0", b"y" * (1 << 20))
        same((c.get("old"), c.get("fill:0")), (b"value", b"\0" * 10000))
        c.config_set("maxmemory-policy", "allkeys-lru")
        for n in range(4000):
            c.set(f"stream:{n}", bytes([n % 256]) * 10000)
        alive = sum(c.exists(f"stream:{n}") for n in range(4000))
        # 32 MB hold 3,200 such values at most; what is used beside them is little.
        true(alive > 2700, f"{alive} values of 10 kB in 32 MB")
        true(c.exists("stream:3999"), "the newest stays")
        true(c.info()["evicted_keys"] > 0, "evictions are counted")
        true(c.info()["used_memory"] <= 32 << 20, "used_memory is within the limit")
    finally:
        c.flushall()
        c.config_set("maxmemory", limit)
        c.config_set("maxmemory-policy", policy)


@own
def what_expired_gives_its_memory_back_unread():
    until(lambda: c.dbsize() == 0)
    before = c.info()["used_memory"]
    count = 100000 if LONG else 20000
    for start in range(0, count, 1000):
        with c.pipeline(transaction=False) as pipe:
            for n in range(start, start + 1000):
                pipe.set(f"short:{n}", b"x" * 100, px=300)
            pipe.execute()
    until(lambda: c.info()["used_memory"] <= before + (1 << 20))
    until(lambda: c.dbsize() == 0)
    true(c.info()["expired_keys"] >= count, "expiries are counted")


@case
def a_worker_reads_what_another_wrote():
    def work(side, other, start):
        with client() as mine:
            for n in range(start, 400, 2):
                while mine.get("turn") != b"%d" % n:
                    pass
                mine.set("turn", n + 1)
    c.set("turn", 0)
    workers = [multiprocessing.Process(target=work, args=(n, 1 - n, n)) for n in range(2)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    same(c.get("turn"), b"400")


@case
def one_lock_and_64_contenders():
    won = []

    def contend():
        with client() as mine:
            if mine.lock("lock", timeout=1000).acquire(blocking=False):
                won.append(1)
    threads = [threading.Thread(target=contend) for _ in range(64)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(len(won), 1)


@case
def a_lock_that_ran_out_is_not_its_old_owners():
    first = c.lock("lock", timeout=0.05)
    true(first.acquire(blocking=False), "free")
    with client() as mine:
        second = mine.lock("lock", timeout=1000)
        true(second.acquire(blocking_timeout=10), "taken when the first ran out")
        raises(redis.exceptions.LockNotOwnedError, "", first.extend, 10)
        raises(redis.exceptions.LockNotOwnedError, "", first.release)
        true(second.owned(), "the second holds it")
        second.extend(1000, replace_ttl=True)
        true(second.reacquire(), "")
        second.release()
    same(c.exists("lock"), 0)


@case
def a_lock_keeps_others_waiting():
    order = []

    def work():
        with client() as mine, mine.lock("lock", timeout=1000, sleep=0.001):
            n = int(mine.get("n") or 0)
            time.sleep(0.001)
            mine.set("n", n + 1)
            order.append(n)
    threads = [threading.Thread(target=work) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(sorted(order), list(range(16)))


@case
def scripts_that_nobody_knows_fail_loudly():
    if COPPICE:
        raises(ResponseError, "NOLUA", c.eval, "return 'x'", 0)
        raises(ResponseError, "NOLUA", c.register_script("return KEYS[1]"), ["a"])
    raises(redis.exceptions.NoScriptError, "No matching script", c.evalsha, "f" * 40, 0)
    same(c.script_exists("f" * 40), [False])


@case
def subscriptions():
    with c.pubsub() as p:
        p.subscribe("news")
        p.psubscribe("sport.*")
        for _ in range(2):
            p.get_message(timeout=10)
        same(c.publish("news", b"a\0b"), 1)
        same(c.publish("sport.tennis", "x"), 1)
        same(c.publish("weather", "x"), 0)
        got = [p.get_message(timeout=10) for _ in range(2)]
        same([(m["type"], m["channel"], m["data"]) for m in got],
             [("message", b"news", b"a\0b"), ("pmessage", b"sport.tennis", b"x")])
        same(c.pubsub_numsub("news"), [(b"news", 1)])
        same(c.pubsub_numpat(), 1)
        p.ping()
        same(p.get_message(timeout=10)["type"], "pong")
        p.unsubscribe()
        p.punsubscribe()
        for _ in range(2):
            p.get_message(timeout=10)
    same(c.pubsub_channels(), [])


@case
def what_the_server_says_of_itself():
    c.set("k", "v", ex=1000)
    c.get("k")
    c.get("none")
    found = c.info()
    same(found["db0"]["keys"], 1)
    same(found["db0"]["expires"], 1)
    true(found["keyspace_hits"] > 0 and found["keyspace_misses"] > 0, "hits and misses")
    true(found["connected_clients"] >= 1 and found["total_commands_processed"] > 10, "clients and commands")
    true(found["redis_version"][0].isdigit() and found["tcp_port"] == PORT, "version and port")
    for section in ("server", "clients", "memory", "persistence", "stats", "replication", "cpu", "keyspace"):
        true(c.info(section), section)
    with client(client_name="named") as mine:
        mine.ping()
        same([d["name"] for d in c.client_list() if d["name"]], ["named"])
        same(mine.client_getname(), "named")
        same(c.client_kill_filter(_id=str(mine.client_id())), 1)
    true(c.command_count() > 100, "COMMAND COUNT")
    same(c.command()["get"]["arity"], 2)
    true(abs(c.time()[0] - time.time()) < 5, "TIME")
    true(c.memory_usage("k") > 0, "MEMORY USAGE")
    same(c.object("encoding", "k"), b"embstr")
    same(c.type("k"), b"string")


@case
def over_tcp():
    with redis.Redis(port=PORT, decode_responses=True) as mine:
        same(mine.set("k", "ü" * 1000), True)
        same(mine.get("k"), "ü" * 1000)
        same(mine.connection_pool.connection_kwargs["port"], PORT)


@case
def what_is_not_there_is_an_error():
    for name in ("LPUSH", "XADD", "PFADD", "GEOADD") if COPPICE else ():
        raises(ResponseError, f"unknown command '{name}'", c.execute_command, name, "k", "v")
    raises(ResponseError, "wrong number of arguments for 'get' command", c.execute_command, "GET")
    raises(ResponseError, "syntax error", c.execute_command, "SET", "k", "v", "BOGUS")
    absent = redis.Redis(unix_socket_path=SOCKET + ".absent", socket_timeout=5)
    raises(redis.exceptions.ConnectionError, "", absent.get, "k")


@long
def a_million_keys_are_listed_by_prefix():
    for start in range(0, 1000000, 5000):
        with c.pipeline(transaction=False) as pipe:
            for n in range(start, start + 5000):
                pipe.set(f"many:{n}", "v")
            pipe.execute()
    c.mset({f"few:{n}": n for n in range(50)})
    same(len(list(c.scan_iter("few:*", count=100))), 50)
    same(c.dbsize(), 1000050)
    same(sum(1 for _ in c.scan_iter("many:*", count=1000)), 1000000)


def clean():
    c.flushall()


run_all(before=clean)
