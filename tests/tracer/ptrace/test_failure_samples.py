"""Tests of how many failed calls are kept as samples."""

import errno
import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.entries import FAILURE_SAMPLES
from syswatch.model.messages import TraceOptions
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace.abi import AUDIT_ARCH_X86_64
from syswatch.tracer.ptrace.calls import CallTable, Return
from syswatch.tracer.ptrace.recorder import Finding, Recorder
from syswatch.tracer.ptrace.texts import Texts
from syswatch.tracer.ptrace.threads import Process, Thread

_A_SECOND = 10


class FailureSampleTests(SynchronousTestCase):
    """Calls that fail again and again."""

    def setUp(self) -> None:
        """Prepare a recorder, a thread, and a call."""
        self.patch(Texts, "arguments", lambda *_, **__: "3")
        descriptor = os.open(os.devnull, os.O_WRONLY)
        self.addCleanup(os.close, descriptor)
        self.recorder = Recorder(TraceOptions(log_rate=0), Outbox(descriptor))
        self.thread = Thread(1, Process(1, 0, "test"))
        calls = CallTable(None, lambda *_: False)
        self.close = calls.kind(AUDIT_ARCH_X86_64, 3)
        self.read = calls.kind(AUDIT_ARCH_X86_64, 0)

    def let_fail(self, times: int) -> None:
        """Let a call fail so many times."""
        for _ in range(times):
            returned = Return(-errno.EBADF, failed=True)
            self.recorder.keep(self.thread, self.close, returned, Finding())

    def kept(self, times: int) -> int:
        """Let a call fail so many times; return how many of these are in the next delta."""
        self.let_fail(times)
        return len(self.taken().failures.get("close", ()))

    def taken(self) -> Delta:
        """Return the next delta."""
        return self.recorder._take(0, is_last=False)

    def test_many(self) -> None:
        """At first as many are kept as are shown, then as many in a second."""
        self.assertEqual(FAILURE_SAMPLES, self.kept(2 * FAILURE_SAMPLES))
        again = [self.kept(FAILURE_SAMPLES) for _ in range(_A_SECOND)]
        self.assertEqual([FAILURE_SAMPLES // _A_SECOND] * _A_SECOND, again)

    def test_pause(self) -> None:
        """After a second without failures, as many are kept as at first."""
        self.kept(FAILURE_SAMPLES)
        for _ in range(_A_SECOND):
            self.taken()
        self.assertEqual(FAILURE_SAMPLES, self.kept(2 * FAILURE_SAMPLES))

    def test_kinds(self) -> None:
        """The failures of each kind of calls are counted for themselves."""
        self.kept(FAILURE_SAMPLES)
        self.recorder.keep(self.thread, self.read, Return(-errno.EIO, failed=True), Finding())
        self.recorder.keep(self.thread, self.read, Return(1, failed=False), Finding())
        [sample] = self.taken().failures["read"]
        self.assertEqual("EIO", sample.errno)

    def test_left_to_the_loop(self) -> None:
        """The compiled part of the loop is told of what no more samples are kept."""
        self.assertEqual(set(), self.recorder.sampled)
        self.let_fail(FAILURE_SAMPLES)
        self.assertEqual({self.close}, self.recorder.sampled)
        self.taken()
        self.assertEqual(set(), self.recorder.sampled)
