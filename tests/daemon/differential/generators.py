"""What commands the differential test draws, and how their replies are compared.

A Kind is a command with its weight and a function that draws its arguments. To add a command, add a line to a table;
to add a group, add a table to TABLES.
"""

# How replies are compared.
EXACT = "exact"      # to the byte
ANY_ORDER = "any"    # the elements in whatever order
ANY_PAIRS = "pairs"  # pairs of elements in whatever order
SHAPE = "shape"      # kind and number of elements: they are drawn at random
POP = "pop"          # the same; the key is removed on both sides afterwards, since what is left differs
SCAN = "scan"        # a whole walk, from cursor 0 to cursor 0, as a set


class Kind:
    def __init__(self, name, draw, compare=EXACT, weight=4):
        self.name = name.encode()
        self.draw = draw
        self.compare = compare
        self.weight = weight


KEYS = {kind: [("%s%d" % (kind, i)).encode() for i in range(4)] for kind in ("hash", "set", "zset", "str")}
EVERY_KEY = [key for keys in KEYS.values() for key in keys]
INTEGERS = [b"0", b"1", b"-1", b"2", b"10", b"-10", b"100", b"9223372036854775807", b"-9223372036854775808",
            b"9223372036854775808", b"01", b"+1", b" 1", b"1.0", b"abc", b""]
FLOATS = [b"0", b"1", b"-1", b"1.5", b"-2.25", b"3.0e3", b"0.1", b"1e-7", b"12345678901234567890", b"1e17", b"inf", b"-inf",
          b"+inf", b"nan", b"abc", b"", b" 1", b"1 ", b"0x10", b"1e400", b"infinity"]
GOOD_FLOATS = FLOATS[:10]
BYTES = [b"", b"a", b"b", b"\x00", b"\xff\xfe", b"\r\n", b"10", b"-7", b"3.5", b"word", b"x" * 64, b"y" * 65, b"z" * 3000]


class Draw:
    """Arguments at random: small pools, so that commands meet what others have left."""

    def __init__(self, random):
        self.random = random

    def one(self, choices):
        return choices[self.random.randrange(len(choices))]

    def chance(self, n):
        return self.random.randrange(n) == 0

    def key(self, kind):
        """Mostly one that holds what the command is for."""
        if self.chance(20):
            return self.one(EVERY_KEY)
        return self.one(KEYS[kind])

    def name(self):
        if self.chance(6):
            return self.one(BYTES)
        return b"n%d" % self.random.randrange(12 if self.chance(2) else 300)

    def names(self, most=5):
        return [self.name() for _ in range(1 + self.random.randrange(most))]

    def count(self):
        """Of elements of one command: now and then enough for a large collection."""
        return 150 + self.random.randrange(100) if self.chance(25) else 1 + self.random.randrange(4)

    def value(self):
        return self.one(BYTES) if self.chance(3) else b"v%d" % self.random.randrange(100)

    def integer(self):
        return self.one(INTEGERS) if self.chance(6) else b"%d" % self.random.randrange(-20, 20)

    def number(self):
        """A float, mostly one that is one."""
        return self.one(FLOATS) if self.chance(8) else self.one(GOOD_FLOATS) if self.chance(2) else self.integer()

    def rank(self):
        return self.one(INTEGERS) if self.chance(15) else b"%d" % self.random.randrange(-12, 12)

    def score_bound(self):
        bound = self.one([b"-inf", b"+inf", b"inf"]) if self.chance(5) else self.number()
        return b"(" + bound if self.chance(3) else bound

    def name_bound(self):
        if self.chance(4):
            return self.one([b"-", b"+", b"", b"x", b"+x"])
        return self.one([b"[", b"("]) + self.name()

    def pattern(self):
        return self.one([b"*", b"n*", b"n1?", b"*1", b"n[0-3]*", b"", b"nothing*", b"\\n*", b"n7"])

    def some(self, *options):
        """Each of them with an even chance, in a random order."""
        chosen = [option for option in options if self.chance(2)]
        self.random.shuffle(chosen)
        return [word for option in chosen for word in option]

    def now_and_then(self, words):
        return words if self.chance(12) else []


def key_only(kind):
    return lambda d: [d.key(kind)]


def key_and_name(kind):
    return lambda d: [d.key(kind), d.name()]


def key_and_names(kind):
    return lambda d: [d.key(kind)] + d.names(8 if d.chance(2) else 3)


def random_count(kind, with_word):
    def draw(d):
        arguments = [d.key(kind)]
        if not d.chance(3):
            arguments.append(d.integer())
            if with_word and d.chance(2):
                arguments.append(d.one([with_word, with_word, b"nonsense"]))
        return arguments
    return draw


def scan(kind):
    return lambda d: [d.key(kind), b"0"] + d.some([b"MATCH", d.pattern()], [b"COUNT", d.one([b"1", b"3", b"100", b"0", b"x"])])


def fields(d):
    arguments = [d.key("hash")]
    for _ in range(d.count()):
        arguments += [d.name(), d.value()]
    return arguments + d.now_and_then([b"odd"])


HASHES = [
    Kind("HSET", fields, weight=12),
    Kind("HMSET", fields),
    Kind("HSETNX", lambda d: [d.key("hash"), d.name(), d.value()]),
    Kind("HGET", key_and_name("hash")),
    Kind("HMGET", key_and_names("hash")),
    Kind("HGETALL", key_only("hash"), ANY_PAIRS),
    Kind("HKEYS", key_only("hash"), ANY_ORDER),
    Kind("HVALS", key_only("hash"), ANY_ORDER),
    Kind("HLEN", key_only("hash")),
    Kind("HSTRLEN", key_and_name("hash")),
    Kind("HEXISTS", key_and_name("hash")),
    Kind("HDEL", key_and_names("hash"), weight=10),
    Kind("HINCRBY", lambda d: [d.key("hash"), d.name(), d.integer()]),
    Kind("HINCRBYFLOAT", lambda d: [d.key("hash"), d.name(), d.number()]),
    Kind("HRANDFIELD", random_count("hash", b"WITHVALUES"), SHAPE),
    Kind("HSCAN", scan("hash"), SCAN),
]


def several_sets(d):
    return [d.key("set") for _ in range(1 + d.random.randrange(3))]


SETS = [
    Kind("SADD", lambda d: [d.key("set")] + [d.name() for _ in range(d.count())], weight=14),
    Kind("SREM", key_and_names("set"), weight=8),
    Kind("SMEMBERS", key_only("set"), ANY_ORDER),
    Kind("SISMEMBER", key_and_name("set")),
    Kind("SMISMEMBER", key_and_names("set")),
    Kind("SCARD", key_only("set")),
    Kind("SPOP", random_count("set", None), POP, weight=1),
    Kind("SRANDMEMBER", random_count("set", None), SHAPE),
    Kind("SMOVE", lambda d: [d.key("set"), d.key("set"), d.name()]),
    Kind("SUNION", several_sets, ANY_ORDER),
    Kind("SINTER", several_sets, ANY_ORDER),
    Kind("SDIFF", several_sets, ANY_ORDER),
    Kind("SUNIONSTORE", lambda d: [d.key("set")] + several_sets(d), weight=1),
    Kind("SINTERSTORE", lambda d: [d.key("set")] + several_sets(d), weight=1),
    Kind("SDIFFSTORE", lambda d: [d.key("set")] + several_sets(d), weight=1),
    Kind("SINTERCARD", lambda d: [d.one([b"1", b"2", b"0", b"9", b"x"])] + several_sets(d) +
         d.some([b"LIMIT", d.integer()])),
    Kind("SSCAN", scan("set"), SCAN),
]


def scored(d):
    arguments = [d.key("zset")]
    if d.chance(3):
        arguments += d.some([d.one([b"NX", b"XX"])], [d.one([b"GT", b"LT"])], [b"CH"], d.now_and_then([b"INCR"]))
    plain = d.count()
    for _ in range(plain):
        arguments += [d.integer() if plain > 10 and not d.chance(99) else d.number(), d.name()]
    return arguments + d.now_and_then([b"odd"])


def by_score(reverse):
    return lambda d: [d.key("zset"), d.score_bound(), d.score_bound()] + d.some([b"WITHSCORES"],
                                                                              [b"LIMIT", d.rank(), d.rank()])


def by_name(d):
    return [d.key("zset"), d.name_bound(), d.name_bound()]


def one_score(d):
    return [b"lex%d" % d.random.randrange(2)]


def any_range(d):
    by = d.one([[], [b"BYSCORE"], [b"BYLEX"]])
    bound = d.rank if not by else d.score_bound if by == [b"BYSCORE"] else d.name_bound
    # Where scores differ Redis does not say what a range by name holds.
    key = one_score(d) if by == [b"BYLEX"] else [d.key("zset")]
    return key + [bound(), bound()] + by + d.some([b"REV"], [b"WITHSCORES"], [b"LIMIT", d.rank(), d.rank()])


SORTED_SETS = [
    Kind("ZADD", scored, weight=14),
    Kind("ZINCRBY", lambda d: [d.key("zset"), d.number(), d.name()]),
    Kind("ZREM", key_and_names("zset"), weight=8),
    Kind("ZSCORE", key_and_name("zset")),
    Kind("ZMSCORE", key_and_names("zset")),
    Kind("ZCARD", key_only("zset")),
    Kind("ZCOUNT", lambda d: [d.key("zset"), d.score_bound(), d.score_bound()]),
    Kind("ZRANK", key_and_name("zset")),
    Kind("ZREVRANK", key_and_name("zset")),
    Kind("ZRANGE", any_range, weight=10),
    Kind("ZREVRANGE", lambda d: [d.key("zset"), d.rank(), d.rank()] + d.some([b"WITHSCORES"])),
    Kind("ZRANGEBYSCORE", by_score(False)),
    Kind("ZREVRANGEBYSCORE", by_score(True)),
    Kind("ZREMRANGEBYSCORE", lambda d: [d.key("zset"), d.score_bound(), d.score_bound()], weight=1),
    Kind("ZREMRANGEBYRANK", lambda d: [d.key("zset"), d.rank(), d.rank()], weight=1),
    Kind("ZPOPMIN", random_count("zset", None), weight=1),
    Kind("ZPOPMAX", random_count("zset", None), weight=1),
    Kind("ZRANDMEMBER", random_count("zset", b"WITHSCORES"), SHAPE),
    Kind("ZSCAN", scan("zset"), SCAN),
]


# Ranges by name say something only where all members have one score.
BY_NAME = [
    Kind("ZADD", lambda d: one_score(d) + [word for _ in range(d.count()) for word in (b"5", d.name())], weight=6),
    Kind("ZREM", lambda d: one_score(d) + d.names(), weight=1),
    Kind("ZRANGEBYLEX", lambda d: one_score(d) + by_name(d)[1:] + d.some([b"LIMIT", d.rank(), d.rank()])),
    Kind("ZREVRANGEBYLEX", lambda d: one_score(d) + by_name(d)[1:] + d.some([b"LIMIT", d.rank(), d.rank()])),
    Kind("ZLEXCOUNT", lambda d: one_score(d) + by_name(d)[1:]),
    Kind("ZREMRANGEBYLEX", lambda d: one_score(d) + by_name(d)[1:], weight=1),
]

STRINGS = [
    Kind("SET", lambda d: [d.key("str"), d.value()] + d.now_and_then([b"KEEPTTL"]), weight=6),
    Kind("GET", key_only("str")),
    Kind("MGET", lambda d: [d.one(EVERY_KEY) for _ in range(3)]),
    Kind("STRLEN", key_only("str")),
    Kind("APPEND", lambda d: [d.key("str"), d.value()], weight=1),
    Kind("INCR", key_only("str")),
    Kind("GETDEL", key_only("str"), weight=1),
]

GENERIC = [
    Kind("DEL", lambda d: [d.one(EVERY_KEY)], weight=1),
    Kind("EXISTS", lambda d: [d.one(EVERY_KEY), d.one(EVERY_KEY)]),
    Kind("TYPE", lambda d: [d.one(EVERY_KEY)]),
    Kind("OBJECT", lambda d: [b"ENCODING", d.one(EVERY_KEY)]),
    Kind("RENAME", lambda d: [d.one(EVERY_KEY), d.one(EVERY_KEY)], weight=1),
    Kind("RENAMENX", lambda d: [d.one(EVERY_KEY), d.one(EVERY_KEY)], weight=1),
    Kind("COPY", lambda d: [d.one(EVERY_KEY), d.one(EVERY_KEY)] + d.some([b"REPLACE"]), weight=1),
    Kind("EXPIRE", lambda d: [d.one(EVERY_KEY), b"10000"], weight=1),
    Kind("PERSIST", lambda d: [d.one(EVERY_KEY)], weight=1),
    Kind("DBSIZE", lambda d: []),
    Kind("SCAN", lambda d: [b"0"] + d.some([b"TYPE", d.one([b"hash", b"set", b"zset", b"string", b"list"])]), SCAN,
         weight=1),
]

TABLES = {"hashes": HASHES, "sets": SETS, "sorted_sets": SORTED_SETS, "by_name": BY_NAME, "strings": STRINGS,
          "generic": GENERIC}
