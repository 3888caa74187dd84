"""Checks of the clients' programs in Python: see ../run.py for the lines that they print."""

import asyncio
import os
import sys
import time
import traceback

SOCKET = os.environ.get("COPPICE_SOCKET", "")
PORT = int(os.environ.get("COPPICE_PORT") or 0)
LONG = os.environ.get("COPPICE_LONG") == "1"
COPPICE = os.environ.get("COPPICE_SERVER") != "redis"

_cases = []


def case(body):
    """Registers a function as one check; its name, in words, is the check's. A coroutine function runs in a loop of its own."""
    _cases.append(body)
    return body


def own(body):
    """A check of what Coppice alone has."""
    return case(body) if COPPICE else body


def long(body):
    """A check that takes long, left out unless it is asked for."""
    return case(body) if LONG else body


def same(got, expected, what=""):
    if got != expected:
        raise AssertionError(f"{what + ': ' if what else ''}expected {expected!r}, got {got!r}")


def true(got, what):
    if not got:
        raise AssertionError(what)


def raises(kind, text, body, *arguments):
    """That `body` raises an error of this kind whose words contain `text`."""
    try:
        result = body(*arguments)
    except kind as error:
        true(text in str(error), f"expected an error with {text!r}, got {error!r}")
        return
    raise AssertionError(f"expected {kind.__name__} with {text!r}, got {result!r}")


def until(condition, seconds=60):
    """Waits for what comes by itself."""
    end = time.monotonic() + seconds
    while not condition():
        true(time.monotonic() < end, f"it did not come within {seconds} s")
        time.sleep(0.005)


def run_all(before=lambda: None):
    """Runs the registered checks, each after `before`, and ends the program."""
    failed = False
    for body in _cases:
        name = body.__name__.replace("_", " ")
        try:
            before()
            result = body()
            if asyncio.iscoroutine(result):
                asyncio.run(result)
            print("ok", name, flush=True)
        except Exception as error:  # noqa: BLE001: any failure is this check's
            failed = True
            print(f"not ok {name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
            traceback.print_exc(file=sys.stdout)
    sys.exit(1 if failed else 0)
