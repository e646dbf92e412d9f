"""Tests of processes that are created or end while a trace begins."""

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from syswatch.model.messages import RunCommand
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.driver import Driver
from syswatch.tracer.ebpf import backend
from syswatch.tracer.ebpf.trace import Trace
from tests.tracer.contract.targets import Target

from .case import EbpfCase

# Prints a line when it is ready and after each program that it has started.
_STARTS_PROGRAMS = "echo ready; while read line; do /bin/true; echo done; done; exit 42"
_HOOKS = 6


def start_one(target: Target) -> None:
    """Let a target start a program, and wait until that has ended."""
    assert target.process.stdin is not None
    target.process.stdin.write(b"\n")
    target.process.stdin.flush()
    target.output.readline()


def end_in_time(target: Target, steps: Iterator[int]) -> None:
    """Kill a target at a given step."""
    if next(steps, None) == 0:
        target.process.kill()
        target.process.wait()


class BeginningTests(EbpfCase):
    """The hooks are attached one by one, while processes are running."""

    def test_short_lived_child(self) -> None:
        """A child that lives only between two hooks does not keep the trace from ending."""
        for options in ({}, {"mode": "counts"}):
            target = self.target()

            trace = self.begin(target, partial(start_one, target), **options)
            self.assertEqual(1, trace.program.totals.tasks)
            self.assertEqual(42, target.end())
            self.assertFalse(trace.scope.is_alive(trace.program))

    def test_ended(self) -> None:
        """A trace does not wait for a process that has ended between two hooks."""
        for step in range(_HOOKS):
            target = self.target()
            trace = self.begin(target, partial(end_in_time, target, iter(range(step, -1, -1))))
            self.assertFalse(trace.scope.is_alive(trace.program), step)

    def test_refused(self) -> None:
        """A command is not started if it cannot be traced."""
        marker = Path(self.mktemp()).absolute()
        job = RunCommand(("touch", str(marker)), options=self.options())
        trace = self.prepare()
        self.patch(trace.program.libbpf, "bpf_raw_tracepoint_open", lambda *_: -errno.EPERM)
        self.patch(backend, "load", lambda *_, **__: trace.program)
        self.patch(backend, "Following", lambda _: trace.following)
        # It would change the signal handlers of the tests.
        self.patch(Control, "listen", lambda _: None)

        Driver(Context(job, trace.outbox, trace.control)).run()

        self.assertIn(b"eBPF cannot be used", os.read(self.said, 4096))
        self.assertNotEqual(0, trace.following.main_pid)
        self.assertRaises(ChildProcessError, os.waitpid, trace.following.main_pid, 0)
        self.assertFalse(marker.exists())

    def target(self) -> Target:
        """Start a program that starts others."""
        target = Target.begin("sh", "-c", _STARTS_PROGRAMS)
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def begin(self, target: Target, disturb: Callable[[], None], **options: object) -> Trace:
        """Begin a trace, and call a function before each hook is attached."""
        trace = self.prepare(**options)
        attach = trace.program.libbpf.bpf_raw_tracepoint_open

        def attach_later(name: None, program: int) -> int:
            disturb()
            return int(attach(name, program))

        self.patch(trace.program.libbpf, "bpf_raw_tracepoint_open", attach_later)
        trace.following.take(target.pid, os.getpid())
        trace.following.begin()
        return trace
