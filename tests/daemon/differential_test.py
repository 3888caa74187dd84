"""Random commands go to redis-server and to coppiced; each reply and, from time to time, everything stored must be the
same. What may differ stands in differential/differences.py with its reasons.

COPPICE_TEST_SEED repeats a run, COPPICE_TEST_SCALE multiplies its length, COPPICE_TEST_TABLES (names of
differential/generators.py, with commas between) chooses what is drawn.
"""

import os
import random
import unittest

from differential.differences import MEANT
from differential.generators import (ANY_ORDER, ANY_PAIRS, EXACT, POP, SCAN, SHAPE, TABLES, Draw)
from differential.wire import Wire
from harness import Daemon, Redis

COMMANDS = int(20_000 * float(os.environ.get("COPPICE_TEST_SCALE", "1")))
BATCH = 40


def sorted_pairs(items):
    return sorted(zip(items[::2], items[1::2]), key=repr)


def content(reply, compare):
    """The reply without what need not be the same."""
    kind, items = reply
    if not isinstance(items, list):
        return reply if compare != POP and compare != SHAPE or kind != "$" else (kind, "some")
    if compare == ANY_ORDER:
        return (kind, sorted(items, key=repr))
    if compare == ANY_PAIRS:
        return (kind, sorted_pairs(items))
    if compare in (SHAPE, POP):
        return (kind, [item[0] for item in items])
    return reply


def walk(wire, arguments):
    """All that a scan answers, whatever the order and the number of calls."""
    at = 1 if arguments[0] == b"SCAN" else 2
    found, cursor = set(), b"0"
    for _ in range(10_000):
        reply = wire.call(arguments[:at] + [cursor] + arguments[at + 1:])
        if reply[0] == "-":
            return reply
        (_, cursor), (_, items) = reply[1]
        if arguments[0] in (b"HSCAN", b"ZSCAN"):
            found.update(repr(pair) for pair in zip(items[::2], items[1::2]))
        else:
            found.update(repr(item) for item in items)
        if cursor == b"0":
            return ("scan", sorted(found))
    raise AssertionError("%r does not end" % arguments)


def state(wire):
    """Everything stored."""
    whole = {}
    for _, key in wire.call([b"KEYS", b"*"])[1]:
        kind = wire.call([b"TYPE", key])[1]
        read = {b"string": [b"GET", key], b"hash": [b"HGETALL", key], b"set": [b"SMEMBERS", key],
                b"zset": [b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"]}[kind]
        compare = {b"hash": ANY_PAIRS, b"set": ANY_ORDER}.get(kind, EXACT)
        whole[key] = (kind, content(wire.call(read), compare), wire.call([b"TTL", key])[1] > 0)
    return whole


class DifferentialTest(unittest.TestCase):
    def setUp(self):
        self.redis, self.coppice = Redis(), Daemon()
        self.addCleanup(self.redis.__exit__)
        self.addCleanup(self.coppice.__exit__)
        self.seed = int(os.environ.get("COPPICE_TEST_SEED", random.randrange(1 << 32)))
        self.history = []
        self.explained = {}

    def check(self, arguments, compare, redis, coppice):
        if content(redis, compare) == content(coppice, compare):
            return
        for difference in MEANT:
            if difference.explains(arguments, redis, coppice):
                self.explained[difference.reason] = self.explained.get(difference.reason, 0) + 1
                return
        self.fail("COPPICE_TEST_SEED=%d, command %d: %r\n  redis   %r\n  coppice %r" %
                  (self.seed, len(self.history), arguments, redis, coppice))

    def run_commands(self, protocol, tables, count):
        draw = Draw(random.Random(self.seed + protocol))
        kinds = [kind for table in tables for kind in TABLES[table]]
        weights = [kind.weight for kind in kinds]
        redis = Wire(self.redis.path, protocol)
        coppice = Wire(self.coppice.path, protocol)
        both = (redis, coppice)
        try:
            for _ in range(count // BATCH):
                batch = [(kind.compare, [kind.name] + kind.draw(draw))
                         for kind in draw.random.choices(kinds, weights, k=BATCH)]
                while batch:
                    # Up to the first one that has to be done by itself.
                    alone = next((i for i, (compare, _) in enumerate(batch) if compare in (SCAN, POP)), len(batch))
                    for wire in both:
                        wire.send([arguments for _, arguments in batch[:alone]])
                    for compare, arguments in batch[:alone]:
                        self.history.append(arguments)
                        self.check(arguments, compare, redis.read(), coppice.read())
                    for compare, arguments in batch[alone:alone + 1]:
                        self.history.append(arguments)
                        if compare == SCAN:
                            self.check(arguments, EXACT, walk(redis, arguments), walk(coppice, arguments))
                            continue
                        self.check(arguments, compare, redis.call(arguments), coppice.call(arguments))
                        for wire in both:
                            wire.call([b"DEL", arguments[1]])
                    batch = batch[alone + 1:]
                if draw.chance(25):
                    self.assertEqual(state(redis), state(coppice), "COPPICE_TEST_SEED=%d" % self.seed)
            self.assertEqual(state(redis), state(coppice), "COPPICE_TEST_SEED=%d" % self.seed)
        finally:
            for wire in both:
                wire.close()

    def test_the_same_replies_and_the_same_state(self):
        chosen = os.environ.get("COPPICE_TEST_TABLES")
        tables = chosen.split(",") if chosen else list(TABLES)
        for protocol in (2, 3):
            print("RESP%d: %d commands, seed %d" % (protocol, COMMANDS // 2, self.seed), flush=True)
            self.run_commands(protocol, tables, COMMANDS // 2)
        for reason, times in self.explained.items():
            print("%6d times: %s" % (times, reason))


if __name__ == "__main__":
    unittest.main()
