"""redis-py's asyncio client as a web application uses it: a pool of connections, locks, pipelines, subscriptions."""

import asyncio
import contextlib

import redis.asyncio as redis
from check import LONG, PORT, SOCKET, case, run_all, same, true
from redis.exceptions import LockNotOwnedError, ResponseError, WatchError


@contextlib.asynccontextmanager
async def client(**more):
    c = redis.Redis(unix_socket_path=SOCKET, **more)
    try:
        await c.flushall()
        yield c
    finally:
        await c.close()
        await c.connection_pool.disconnect()


@case
async def many_requests_at_once():
    async with client(max_connections=200) as c:
        async def request(n):
            await c.set(f"k{n}", n, ex=1000)
            await c.incr("requests")
            return int(await c.get(f"k{n}"))
        count = 5000 if LONG else 1000
        for start in range(0, count, 100):
            same(await asyncio.gather(*[request(n) for n in range(start, start + 100)]), list(range(start, start + 100)))
        same(await c.get("requests"), b"%d" % count)
        same(len([k async for k in c.scan_iter("k*", count=50)]), count)


@case
async def values_larger_than_a_buffer():
    async with client() as c:
        value = bytes(range(256)) * 40000
        await c.set("large", value)
        same(await c.get("large") == value, True)
        same(await asyncio.gather(*[c.strlen("large") for _ in range(20)]), [len(value)] * 20)


@case
async def a_lock_lets_one_in_at_a_time():
    async with client() as c:
        inside = 0

        async def work():
            nonlocal inside
            async with c.lock("lock", timeout=1000, sleep=0.002):
                inside += 1
                same(inside, 1)
                await asyncio.sleep(0.001)
                inside -= 1
        await asyncio.gather(*[work() for _ in range(20)])
        first = c.lock("lock", timeout=0.05)
        true(await first.acquire(blocking=False), "free")
        true(await c.lock("lock", timeout=1000).acquire(blocking_timeout=10), "free after its time")
        try:
            await first.release()
        except LockNotOwnedError:
            return
        raise AssertionError("a lock that ran out was released")


@case
async def pipelines_and_transactions():
    async with client() as c:
        async with c.pipeline(transaction=True) as pipe:
            same(await pipe.set("a", 1).incr("a").get("a").execute(), [True, 2, b"2"])
        async with c.pipeline() as pipe:
            await pipe.watch("a")
            await c.incr("a")
            pipe.multi()
            pipe.set("a", 100)
            try:
                await pipe.execute()
                raise AssertionError("a watched key was changed")
            except WatchError:
                same(await c.get("a"), b"3")


@case
async def a_subscription_hears_everything():
    async with client() as c, c.pubsub() as p:
        await p.psubscribe("room:*")
        same((await p.get_message(timeout=10))["type"], "psubscribe")
        for n in range(500):
            same(await c.publish(f"room:{n % 7}", n), 1)
        heard = []
        while len(heard) < 500:
            message = await p.get_message(timeout=10)
            true(message, "a message")
            heard.append(int(message["data"]))
        same(heard, list(range(500)))


@case
async def errors_and_tcp():
    async with client() as c:
        tcp = redis.Redis(port=PORT, decode_responses=True)
        await tcp.set("text", "abc")
        try:
            await tcp.incr("text")
            raise AssertionError("no integer")
        except ResponseError as error:
            same(str(error), "value is not an integer or out of range")
        same(await c.get("text"), b"abc")
        await tcp.close()
        await tcp.connection_pool.disconnect()


run_all()
