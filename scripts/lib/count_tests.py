#!/usr/bin/env python3
"""Counts the tests in the output of `ctest -V` or of scripts/test-php.

    count_tests.py ctest LOG      count_tests.py phpt LOG

Prints three numbers: passed, failed, skipped. A program of Catch2 or of
Python's unittest counts by its test cases, another program as one test.
A program that ctest calls failed counts at least one failure, whatever its own last line said (it may have crashed
before or after it).
"""

import re
import sys

CATCH_ALL = re.compile(r"All tests passed \([\d,]+ assertions? in ([\d,]+) test cases?\)")
CATCH_SUM = re.compile(r"test cases:\s*(\d+)(.*)")
UNITTEST_RAN = re.compile(r"Ran (\d+) tests? in")
UNITTEST_END = re.compile(r"(?:OK|FAILED) \((.*)\)$")
CTEST_END = re.compile(r"^\s*\d+/\d+ Test\s+#(\d+): (\S+) \.*\s*(.*?)\s+[\d.]+ sec")
CTEST_OUT = re.compile(r"^(\d+): (.*)")


def count_ctest(lines):
    programs, ends = {}, {}
    for line in lines:
        if end := CTEST_END.match(line):
            ends[end[1]] = end[3]
        elif out := CTEST_OUT.match(line):
            cases = programs.setdefault(out[1], [0, 0, 0])
            if found := UNITTEST_RAN.match(out[2]):
                cases[0] += int(found[1])
            elif found := UNITTEST_END.match(out[2]):
                for word, to in (("failures", 1), ("errors", 1), ("unexpected successes", 1), ("skipped", 2)):
                    if number := re.search(word + r"=(\d+)", found[1]):
                        cases[to] += int(number[1])
                        cases[0] -= int(number[1])
            elif found := CATCH_ALL.search(out[2]):
                cases[0] += int(found[1].replace(",", ""))
            elif found := CATCH_SUM.match(out[2]):
                for i, word in enumerate(("passed", "failed", "skipped")):
                    if number := re.search(r"(\d+) " + word, found[2]):
                        cases[i] += int(number[1])
                if number := re.search(r"(\d+) failed as expected", found[2]):
                    cases[1] -= int(number[1])
                    cases[0] += int(number[1])
    total = [0, 0, 0]
    for number, verdict in ends.items():
        cases = programs.get(number, [0, 0, 0])
        if "Skipped" in verdict or "Not Run" in verdict and "Disabled" in verdict:
            cases = [0, 0, 1]
        elif "Passed" in verdict:
            if sum(cases) == 0:
                cases = [1, 0, 0]
        elif cases[1] == 0:
            cases = [cases[0], 1, cases[2]]
        total = [a + b for a, b in zip(total, cases)]
    return total


def count_phpt(lines):
    for line in reversed(lines):
        if found := re.match(r"php: (\d+) passed, (\d+) failed, (\d+) skipped", line):
            return [int(number) for number in found.groups()]
    return [0, 0, 0]


def main():
    count = {"ctest": count_ctest, "phpt": count_phpt}[sys.argv[1]]
    with open(sys.argv[2], encoding="utf-8", errors="replace") as log:
        print(*count(log.read().splitlines()))


if __name__ == "__main__":
    main()
