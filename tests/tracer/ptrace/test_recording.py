"""Tests of recorded calls."""

import os
from functools import reduce
from operator import add
from unittest.mock import Mock

from syswatch.model.catalog import number_of
from syswatch.model.messages import RunCommand
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace.backend import PtraceBackend
from syswatch.tracer.ptrace.calls import RUNS
from syswatch.tracer.ptrace.counting import count_on_object
from tests.tracer.contract import recording
from tests.tracer.programs import program
from tests.tracer.recorded import sums_of
from tests.unmeasured import unmeasured

from .case import PtraceCase

_UNKNOWN = 0xFFFF
_GETPPID = number_of("getppid", machine()) or 0


class RecordingTests(PtraceCase, recording.RecordingContract):
    """Every call that is counted, and no other one."""

    @unmeasured()
    def test_many(self) -> None:
        """A hundred thousand calls of eight threads, more than are sent at once."""
        outcome = self.record(program("total"), "12500")
        self.assert_adds_up(outcome)
        self.assertEqual(100_000, len(outcome.recorded.named("getppid")))

    def test_odd_numbers(self) -> None:
        """Calls with numbers that no kernel has share one number."""
        if machine() != "x86_64":
            return
        outcome = self.record(program("odd_numbers"))
        actual, expected = outcome.recorded.sums, sums_of(outcome.delta.calls)
        known = {name: sums for name, sums in expected.items() if name in actual}
        odd = [sums for name, sums in expected.items() if name not in actual]
        shared = [
            sums
            for name, sums in actual.items()
            if name not in expected and name.startswith(f"syscall_{_UNKNOWN:#x}")
        ]
        self.assertEqual(sum(sums.count for sums in odd), sum(sums.count for sums in shared))
        self.assertEqual(len(actual), len(known) + len(shared))
        for name, sums in known.items():
            self.assertEqual(sums, actual[name], name)

    def test_recorder_ended(self) -> None:
        """After the recorder has ended, calls are only counted."""
        for objects in (True, False):
            events_out, events_in = os.pipe()
            self.addCleanup(os.close, events_in)
            job = RunCommand(("true",), options=self.options(objects=objects, decode_all=True))
            control, events = Mock(spec=Control, end_passed_on=False), EventPipe(events_in)
            control.messages.return_value = ()
            outbox = Mock(spec=Outbox, is_behind=False)
            backend = PtraceBackend(Context(job, outbox, control, events=events))
            backend.prepare()
            loop = backend._loop
            thread = loop.lifecycle.begin(os.getpid())
            call = loop.calls.kind(RUNS[machine()][0], _GETPPID)
            for reads in (True, False):
                if not reads:
                    os.close(events_out)
                assert loop._count is not None
                loop._count(loop.recorder, thread, call, 7, False, 5)  # noqa: FBT003
                loop.recorder.due_ns = 0
                loop._tick()
            self.assertIsNone(loop.recorder.events)
            self.assertIs(count_on_object if objects else None, loop._count)
            sent = [offer.args[0] for offer in outbox.offer.call_args_list]
            delta = reduce(add, sent, loop.recorder.finish())
            self.assertEqual(2, delta.calls["getppid"].count)


class RecordedTextTests(PtraceCase, recording.RecordedTextContract):
    """The texts of recorded calls."""


class LifeTests(PtraceCase, recording.LifeContract):
    """What is recorded of processes."""
