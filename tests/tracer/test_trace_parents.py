"""Tests of finding the traces of processes."""

import os
import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.proc import read_environment
from syswatch.model.slowest import NOTICEABLE_NS
from syswatch.model.trace_parent import TraceParent
from syswatch.tracer import trace_parents
from syswatch.tracer.trace_parents import TraceParents

_PARENT = TraceParent("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", 1)
_TEXT = f"00-{_PARENT.trace_id}-{_PARENT.span_id}-01"


class TraceParentsTests(SynchronousTestCase):
    """The environment of a process."""

    def setUp(self) -> None:
        """Start no process yet."""
        self._ends: dict[int, subprocess.Popen[bytes]] = {}

    def _process(self, **environment: str) -> int:
        process = subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._ends[process.pid] = process
        self.addCleanup(self._end, process.pid)
        # The kernel lets `Popen` go on before the new program has its environment.
        os.write(process.stdin.fileno(), b"x")
        os.read(process.stdout.fileno(), 1)
        return process.pid

    def _end(self, pid: int) -> None:
        process = self._ends.pop(pid, None)
        if process is not None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            process.stdout.close()
            process.wait()

    def test_found(self) -> None:
        """Only slow calls need it, and only if it is wanted."""
        pid = self._process(OTHER="x", TRACEPARENT=_TEXT, LATER="y")
        self.assertEqual(_PARENT, TraceParents(are_wanted=True).of(pid, NOTICEABLE_NS))
        self.assertIsNone(TraceParents(are_wanted=True).of(pid, NOTICEABLE_NS - 1))
        self.assertIsNone(TraceParents().of(pid, NOTICEABLE_NS))

    def test_none(self) -> None:
        """A process without a trace, one with nonsense, and one that has ended have no parent."""
        for environment in ({}, {"TRACEPARENT": "nonsense"}, {"traceparent": _TEXT}):
            pid = self._process(**environment)
            self.assertIsNone(TraceParents(are_wanted=True).of(pid, NOTICEABLE_NS))
        # The greatest PID is one less.
        self.assertIsNone(TraceParents(are_wanted=True).of(1 << 22, NOTICEABLE_NS))

    def test_ended(self) -> None:
        """What was noted of a process is known when it has ended; of all, the newest."""
        self.patch(trace_parents, "_MOST_NOTED", 2)
        finder, unwanted = TraceParents(are_wanted=True), TraceParents()
        pids = [self._process(TRACEPARENT=_TEXT) for _ in range(3)]
        other = self._process()
        for pid in (*pids, other):
            finder.note(pid)
            unwanted.note(pid)
            self._end(pid)
        found = [finder.of(pid, NOTICEABLE_NS) for pid in (*pids, other)]
        self.assertEqual([None, _PARENT, _PARENT, None], found)
        self.assertIsNone(unwanted.of(pids[-1], NOTICEABLE_NS))

    def test_again(self) -> None:
        """A later process with the same PID has a parent of its own."""
        finder = TraceParents(are_wanted=True)
        pid = self._process(TRACEPARENT=_TEXT)
        finder.note(pid)
        self._end(pid)
        finder.note(pid)
        self.assertIsNone(finder.of(pid, NOTICEABLE_NS))

    def test_empty_environment(self) -> None:
        """A program with an empty environment does not have that of the process before it."""
        finder = TraceParents(are_wanted=True)
        name = sys.executable
        program = "import sys; print(flush=True); sys.stdin.readline()"
        lines = (
            "import os, sys",
            "if pid := os.fork(): print(pid, flush=True); os.wait()",
            "else:",
            " sys.stdin.readline()",
            f" os.execve({name!r}, [{name!r}, '-S', '-c', {program!r}], {{}})",
        )
        with subprocess.Popen(
            [name, "-S", "-c", "\n".join(lines)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"TRACEPARENT": _TEXT},
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            pid = int(process.stdout.readline())
            finder.note(pid)
            self.assertEqual(_PARENT, finder.of(pid, NOTICEABLE_NS))
            finder.note_again(pid)
            self.assertEqual(_PARENT, finder.of(pid, NOTICEABLE_NS))
            process.stdin.write(b"\n")
            process.stdout.readline()
            self.assertIsNone(finder.of(pid, NOTICEABLE_NS))
            finder.note_again(pid)
            process.stdin.write(b"\n")
            process.wait()
            # It is known of the process that has ended, too.
            finder.note_again(pid)
            self.assertIsNone(finder.of(pid, NOTICEABLE_NS))

    def test_ended_before_execution(self) -> None:
        """A process that ended without executing a program keeps what it was forked with."""
        finder = TraceParents(are_wanted=True)
        lines = (
            "import os, sys",
            "if pid := os.fork(): print(pid, flush=True); os.wait()",
            "else: sys.stdin.readline()",
        )
        with subprocess.Popen(
            [sys.executable, "-S", "-c", "\n".join(lines)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"TRACEPARENT": _TEXT},
        ) as process:
            assert process.stdout is not None
            pid = int(process.stdout.readline())
            finder.note(pid)
            process.communicate(b"\n")
            finder.note_again(pid)
            self.assertEqual(_PARENT, finder.of(pid, NOTICEABLE_NS))

    def test_bounded(self) -> None:
        """Of a large environment, only the first part is read."""
        pid = self._process(BEFORE="x" * 100, TRACEPARENT=_TEXT)
        self.patch(trace_parents, "_MOST_BYTES", 50)
        self.assertIsNone(TraceParents(are_wanted=True).of(pid, NOTICEABLE_NS))
        self.assertEqual(b"BEFORE=xxx", read_environment(pid, 10))
        self.assertEqual(b"", read_environment(os.getpid(), 0))
