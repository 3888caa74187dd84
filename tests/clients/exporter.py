"""prometheus-redis-exporter reads the server: what its metrics say is what was done before."""

import os
import re
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
import redis  # noqa: E402
from check import PORT, SOCKET, case, run_all, same, true, until  # noqa: E402
from run import free_port  # noqa: E402

c = redis.Redis(unix_socket_path=SOCKET)
address = f"127.0.0.1:{free_port()}"


def metrics():
    text = urllib.request.urlopen(f"http://{address}/metrics", timeout=20).read().decode()
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


@case
def the_server_is_up():
    m = metrics()
    same(m["redis_up"], 1)
    same(m["redis_exporter_last_scrape_error{err=\"\"}"], 0)
    (instance,) = [name for name in m if name.startswith("redis_instance_info{")]
    true(re.search(r'redis_version="[7-9]\.', instance) and 'role="master"' in instance, instance)
    true(f'tcp_port="{PORT}"' in instance, instance)
    same(m.get("redis_loading_dump_file"), 0)
    true(abs(m["redis_start_time_seconds"] - time.time()) < 3600, "it was started lately")


@case
def keys_and_expiries():
    c.mset({f"k{n}": n for n in range(100)})
    for n in range(30):
        c.expire(f"k{n}", 1000)
    redis.Redis(unix_socket_path=SOCKET, db=3).set("k", "v")
    m = metrics()
    same([m['redis_db_keys{db="db0"}'], m['redis_db_keys_expiring{db="db0"}'], m['redis_db_keys{db="db3"}']], [100, 30, 1])


@case
def hits_misses_and_commands():
    before = metrics()
    c.set("k", "v")
    for _ in range(50):
        c.get("k")
    for _ in range(20):
        c.get("none")
    after = metrics()

    def grown(name):
        return after[name] - before[name]
    same([grown("redis_keyspace_hits_total"), grown("redis_keyspace_misses_total")], [50, 20])
    true(grown("redis_commands_processed_total") >= 71, "commands")
    true(grown("redis_net_input_bytes_total") > 70 * 20 and grown("redis_net_output_bytes_total") > 50, "bytes of the network")
    true(grown("redis_connections_received_total") >= 1, "the exporter's own connections")
    get = 'redis_commands_total{cmd="get"}'
    same(after[get] - before.get(get, 0), 70)
    true(after['redis_commands_duration_seconds_total{cmd="get"}'] >= 0, "durations")


@case
def expired_and_evicted():
    before = metrics()
    for n in range(40):
        c.set(f"short{n}", "v", px=1)
    until(lambda: metrics()["redis_expired_keys_total"] - before["redis_expired_keys_total"] == 40)
    same(metrics()["redis_evicted_keys_total"], before["redis_evicted_keys_total"])


@case
def memory():
    before = metrics()
    c.set("large", b"x" * (8 << 20))
    after = metrics()
    grown = after["redis_memory_used_bytes"] - before["redis_memory_used_bytes"]
    # Redis counts the buffer that it was read into, too.
    true(8 << 20 <= grown <= 32 << 20, f"8 MiB more, not {grown}")
    same(after["redis_memory_max_bytes"], int(c.config_get("maxmemory")["maxmemory"]))
    true(after["redis_memory_used_rss_bytes"] > 0, "resident memory")


@case
def clients():
    before = metrics()["redis_connected_clients"]
    more = [redis.Redis(unix_socket_path=SOCKET) for _ in range(10)]
    for each in more:
        each.ping()
    same(metrics()["redis_connected_clients"] - before, 10)
    for each in more:
        each.connection_pool.disconnect()
    until(lambda: metrics()["redis_connected_clients"] == before)
    true(metrics()["redis_config_maxclients"] > 100, "maxclients")


exporter = subprocess.Popen(["prometheus-redis-exporter", "-redis.addr", f"redis://127.0.0.1:{PORT}", "-web.listen-address", address],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)


def ready():
    try:
        return metrics()["redis_up"] == 1
    except OSError:
        return False


try:
    until(ready)
    run_all(before=c.flushall)
finally:
    exporter.kill()
    exporter.wait()
