"""Tests that compare lines with those of the real strace."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.model.errnos import NAMES
from syswatch.recording.lines.strace_text import call_line, ending_line, failure, unfinished_line
from syswatch.tracer.stracelog.grammar import LoggedCall, ThreadEnd, UnfinishedCall, parse_line
from syswatch.tracer.stracelog.log_clock import nanoseconds
from tests.tracer.strace import require_tracing

_SCRIPT = "ls /absent /etc; sleep 0.01 & wait; (kill -TERM $(exec sh -c 'echo $PPID')); exit 3"
_NUMBERS = {name: number for number, name in NAMES.items()}


class AsStraceTests(TestCase):
    """Lines that are made again from what the log parser finds in them."""

    def lines(self) -> Iterator[str]:
        """Yield the lines of strace for some processes."""
        require_tracing()
        log = Path(self.mktemp())
        subprocess.run(
            ["strace", "-f", "-ttt", "--syscall-times=ns", "-o", log, "sh", "-c", _SCRIPT],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return iter(log.read_text().splitlines())

    def test_calls(self) -> None:
        """Calls have the same alignment, times, results and messages of errors."""
        failed = unfinished = 0
        for line in self.lines():
            call = parse_line(line.encode())
            if isinstance(call, LoggedCall) and call.duration_ns is not None:
                failed += bool(call.errno)
                self.assertEqual(line, _line_of(call))
            elif isinstance(call, UnfinishedCall) and call.name != "exit_group":
                unfinished += 1
                parts = call.pid, nanoseconds(call.time), call.name, call.text.decode()
                self.assertEqual(line, unfinished_line(*parts))
            elif isinstance(call, LoggedCall):  # It has not returned.
                parts = call.pid, nanoseconds(call.time), call.name, call.args.decode()
                self.assertEqual(line, unfinished_line(*parts))
        self.assertLess(10, failed)
        self.assertLess(0, unfinished)

    def test_endings(self) -> None:
        """Processes exit and are killed with the same words."""
        found = set()
        for line in self.lines():
            end = parse_line(line.encode())
            if isinstance(end, ThreadEnd):
                found.add(end.ending)
                is_killed = end.ending.startswith("killed")
                code = None if is_killed else int(end.ending.split()[-1])
                ending = ending_line(end.pid, nanoseconds(end.time), code, is_killed * 15)
                self.assertEqual(line, ending)
        self.assertEqual(
            {"exited with 0", "exited with 2", "exited with 3", "killed by SIGTERM"}, found
        )


def _line_of(call: LoggedCall) -> str:
    result = failure(-_NUMBERS[call.errno]) if call.errno else call.ret.decode()
    assert call.duration_ns is not None
    time_ns = nanoseconds(call.time)
    return call_line(call.pid, time_ns, call.name, call.args.decode(), result, call.duration_ns)
