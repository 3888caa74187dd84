"""Where coppiced means to differ from redis-server 7.0, each with its reason.

A Difference says of a command and the two replies whether it explains that they are not the same.
"""

REPEATED_AT_MOST = 1_000_000


class Difference:
    def __init__(self, reason, explains):
        self.reason = reason
        self.explains = explains  # (arguments, redis's reply, coppiced's reply) -> bool


def _integer(text):
    try:
        return int(text)
    except ValueError:
        return None


def _asks_for_too_many(arguments, redis, coppice):
    if arguments[0] not in (b"HRANDFIELD", b"SRANDMEMBER", b"ZRANDMEMBER") or len(arguments) < 3:
        return False
    count = _integer(arguments[2])
    return count is not None and count < -REPEATED_AT_MOST and coppice[0] == "-"


def _set_encoding(arguments, redis, coppice):
    return (arguments[:2] == [b"OBJECT", b"ENCODING"] and redis[1] in (b"intset", b"hashtable")
            and coppice[1] in (b"intset", b"hashtable"))


def _string_encoding(arguments, redis, coppice):
    words = (b"raw", b"embstr", b"int")
    return arguments[:2] == [b"OBJECT", b"ENCODING"] and redis[1] in words and coppice[1] in words


MEANT = [
    Difference("A negative count repeats elements without bound; beyond a million it is refused, so that one command "
               "does not take all memory.", _asks_for_too_many),
    Difference("A set of integers is called intset while it is small and holds nothing else; Redis remembers that it "
               "once held something else, and calls up to 512 so.", _set_encoding),
    Difference("Values are kept as bytes: the encoding is told from them, not from the command that wrote them.",
               _string_encoding),
]
