#!/usr/bin/env python3
"""
Run trial, then the few tests that failed again.

Usage: run_tests.py COMMAND... -- TESTS... [- TESTS...]

Packages and modules after the minus are left out of those before it.

Many tests start real processes and kill some of them, on machines that have other work to do.  Up
to three tests that fail are run again by themselves, as CPython's test runner does with --rerun,
and so is a run that prints nothing for minutes before it has a result.  Each rerun is a defect to
be mended: it is printed with its reason, and counted in the last line.  So is what fails at last.
"""

import pkgutil
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter

from silence import WatchedCommand

_MOST_RERUN = 3
# No test takes that long.
_SILENCE_S = 300
_REPORT = re.compile(
    r"^={70,}\n\[(?:FAIL|ERROR|SUCCESS!\?!)\]\n(.*?)(?=^={70,}$|^-{70,}$)",
    re.DOTALL | re.MULTILINE,
)
_TEST = re.compile(r"^tests(?:\.\w+)+\.test_\w+$", re.MULTILINE)
_RESULT = re.compile(r"^(PASSED|FAILED)(?: \((.*)\))?$", re.MULTILINE)
# Of a traceback, the line with the exception; the frames above it are indented.
_EXCEPTION = re.compile(r"^(?!Traceback|Failure: |During handling)[\w.]+(?:: .*)?$", re.MULTILINE)
# A module, or a test with its result at the end of its line.
_TIMED = re.compile(r"^(tests(?:\.\w+)+)$|^ +test_\w+ \.\.\..*?(?=\[[A-Z!?]+\]$)", re.MULTILINE)
_SLOWEST = 10
_KINDS = {
    "successes": "passed",
    "expectedFailures": "passed",
    "failures": "failed",
    "errors": "failed",
    "unexpectedSuccesses": "failed",
    "skips": "skipped",
    "todos": "skipped",
}


def main() -> int:
    """Return the exit status of the last run."""
    end = sys.argv.index("--")
    command, tests = sys.argv[1:end], expand(sys.argv[end + 1 :])
    status, output, reruns = run([*command, *tests])
    result = count(output)
    failed = failures(output)
    if status and 0 < len(failed) <= _MOST_RERUN:
        for test, reason in failed.items():
            print(f"\nRERUN {test}: {reason}", flush=True)
        status, output, more = run([*command, *failed])
        again = count(output)
        # A test may fail more than once, as when what tidies up after it fails, too.
        result["failed"] = again["failed"]
        result["passed"] += again["passed"]
        reruns += more + len(failed)
        failed = failures(output)
    for test, reason in failed.items():
        print(f"\nFAILED {test}: {reason}", flush=True)
    totals = " ".join(f"{kind}={result[kind]}" for kind in ("passed", "failed", "skipped"))
    print(f"\nRESULT {totals} rerun={reruns}", flush=True)
    return status


def expand(tests: Sequence[str]) -> Sequence[str]:
    """Return the tests; a package of which something is left out is replaced by all the rest."""
    end = tests.index("-") if "-" in tests else len(tests)
    found = list(tests[:end])
    for left_out in tests[end + 1 :]:
        while left_out not in found:
            packages = [each for each in found if left_out.startswith(f"{each}.")]
            contents = [each for package in packages for each in contents_of(package)]
            if not contents:
                sys.exit(f"no such package or module of tests: {left_out}")
            found = [each for each in found if each not in packages] + contents
        found.remove(left_out)
    return found


def contents_of(package: str) -> Sequence[str]:
    """Return the packages and the modules of tests within a package."""
    return [
        f"{package}.{each.name}"
        for each in pkgutil.iter_modules([package.replace(".", "/")])
        if each.ispkg or each.name.startswith("test_")
    ]


def run(command: Sequence[str]) -> tuple[int, str, int]:
    """Run a command; return its status, its output, and how often it was run again."""
    reruns = 0
    watched = WatchedCommand(command, _SILENCE_S)
    status = watched.run()
    print(f"\nSLOWEST {slowest(watched)}", flush=True)
    if watched.fell_silent and not _RESULT.search(watched.output):
        reruns = 1
        print(f"\nRERUN everything: no output for {_SILENCE_S} s", flush=True)
        watched = WatchedCommand(command, _SILENCE_S)
        status = watched.run()
    if watched.fell_silent and (results := _RESULT.findall(watched.output)):
        # It had its result and did not end.
        status = int(results[-1][0] != "PASSED")
    return status, watched.output, reruns


def slowest(watched: WatchedCommand) -> str:
    """Return the modules that took longest, so that it is known what to make faster."""
    times_s: dict[str, float] = {}
    module = ""
    for found in _TIMED.finditer(watched.output):
        if found[1]:
            module = found[1]
        else:
            begin, end = (_moment_s(watched, each + 1) for each in found.span())
            times_s[module] = times_s.get(module, 0.0) + end - begin
    longest = sorted(times_s.items(), key=itemgetter(1), reverse=True)[:_SLOWEST]
    return ", ".join(f"{name} {spent_s:.0f} s" for name, spent_s in longest)


def _moment_s(watched: WatchedCommand, length: int) -> float:
    """Return when the output had reached a length."""
    place = bisect_left(watched.moments, length, key=itemgetter(0))
    return watched.moments[min(place, len(watched.moments) - 1)][1]


def count(output: str) -> Counter[str]:
    """Return the numbers in the last line of trial, one failure where there is no such line."""
    results = _RESULT.findall(output)
    if not results:
        return Counter(failed=1)
    totals: Counter[str] = Counter()
    for kind, number in re.findall(r"(\w+)=(\d+)", results[-1][1]):
        totals[_KINDS[kind]] += int(number)
    return totals


def failures(output: str) -> Mapping[str, str]:
    """Return the failed tests with the reasons; none if something other than a test failed."""
    found: dict[str, str] = {}
    for report in _REPORT.findall(output):
        tests = _TEST.findall(report)
        if not tests:
            return {}
        exception = _EXCEPTION.search(report)
        found |= dict.fromkeys(tests, exception[0] if exception else "see its report")
    return found


if __name__ == "__main__":
    sys.exit(main())
