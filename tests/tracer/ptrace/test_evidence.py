"""Tests of the evidence of the ptrace backend."""

import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.evidence import EvidenceTally
from syswatch.tracer.ptrace.abi import AUDIT_ARCH_X86_64, pending_signals
from syswatch.tracer.ptrace.calls import CallTable
from syswatch.tracer.ptrace.evidence import EvidenceCounter
from syswatch.tracer.ptrace.threads import Process, Thread

# A module, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import evidence
from tests.tracer.programs import program

from .case import PtraceCase


class EvidenceTests(PtraceCase, evidence.EvidenceContract):
    """Whole programs."""


class CounterTests(SynchronousTestCase):
    """Counting the calls of one program."""

    def test_returned_late(self) -> None:
        """The first call is that which began first, even if another one returned before it."""
        call = CallTable(None, lambda *_: False).kind(AUDIT_ARCH_X86_64, 0)
        counter = EvidenceCounter(str)
        for entered_ns in (30, 10, 20):
            thread = Thread(1, Process(1, 0, "app"))
            thread.entered_ns = entered_ns
            counter.returned(thread, call, -1)

        evidence, _ = counter.take(1000)
        self.assertEqual([EvidenceTally(3, 1010)], list(evidence.values()))


class RefusalTests(PtraceCase, evidence.RefusalContract):
    """Programs whose filter refuses a call."""

    def test_errno(self) -> None:
        """A call that a filter lets fail can't be told from one that the kernel lets fail."""
        delta = self.trace(program("seccomp_killed"), profile=True).delta

        refused = {key.call: key.refused for key in delta.evidence if key.call.startswith("getp")}
        self.assertEqual({"getppid": False, "getpgid": True}, refused)

    def test_nothing_pending(self) -> None:
        """A thread that is not traced has no signals to read."""
        self.assertEqual([], pending_signals(os.getpid()))
