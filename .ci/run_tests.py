#!/usr/bin/env python3
"""Run trial, and the few tests that failed once more by themselves.

Usage: run_tests.py COMMAND... -- TESTS...

Many tests start real processes and kill some of them, on machines that have other work to do: one
of a thousand may lose a race that is the test's own.  Running it again, as CPython's runner does
with --rerun, tells it from a broken program.  Nothing is hidden: both runs are printed in full, and
a test that passes only by itself is named as UNSTABLE, to be mended.  More than three failures
are no accident.  A run that falls silent is looked into and ended; if it has not told its
results by then, it is begun again, once.
"""

import itertools
import re
import sys
from collections.abc import Sequence

from silence import WatchedCommand

_MOST = 3
# No test is given that long to come to its end.
_SILENCE_S = 300
_REPORT = re.compile(
    r"^={70,}\n\[(?:FAIL|ERROR|SUCCESS!\?!)\]\n(.*?)(?=^={70,}$|^-{70,}$)",
    re.DOTALL | re.MULTILINE,
)
_TEST = re.compile(r"^tests(?:\.\w+)+\.test_\w+$", re.MULTILINE)
_RESULT = re.compile(r"^(PASSED|FAILED)( \(.*\))?$", re.MULTILINE)


def main() -> int:
    """Return the exit status of the last run."""
    end = sys.argv.index("--")
    command, tests = sys.argv[1:end], sys.argv[end + 1 :]
    status, output = run([*command, *tests])
    failed = failures(output)
    if not status or not 0 < len(failed) <= _MOST:
        return status
    print("\nRunning again, by themselves:", *failed, flush=True)
    status, _ = run([*command, *failed])
    if not status:
        # Whoever adds up the results takes back what the first run counted as failed.
        print(f"\nUNSTABLE{_RESULT.findall(output)[-1][1]}", *failed, sep="\n", flush=True)
    return status


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a command, again if it falls silent too early; return its status and its output."""
    watched = WatchedCommand(command, _SILENCE_S)
    status = watched.run()
    if watched.fell_silent and not _RESULT.search(watched.output):
        print("\nUNSTABLE\nThe run is begun again.", flush=True)
        watched = WatchedCommand(command, _SILENCE_S)
        status = watched.run()
    if watched.fell_silent and (results := _RESULT.findall(watched.output)):
        print("\nUNSTABLE\nThe run told its results and did not end.", flush=True)
        status = int(results[-1][0] != "PASSED")
    return status, watched.output


def failures(output: str) -> list[str]:
    """Return the tests that failed, each once; none if something other than a test did."""
    reports = [_TEST.findall(report) for report in _REPORT.findall(output)]
    return list(dict.fromkeys(itertools.chain(*reports))) if all(reports) else []


if __name__ == "__main__":
    sys.exit(main())
