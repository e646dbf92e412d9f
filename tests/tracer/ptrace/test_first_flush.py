"""Tests of when a tracer with ptrace sends the first numbers."""

import os
import time
from typing import cast

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import FIRST_NS, FLUSH_NS, Control
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace.backend import PtraceBackend
from syswatch.tracer.ptrace.recorder import Recorder

_SECOND_NS = 1_700_000_000_000_000_000


class FirstFlushTests(SynchronousTestCase):
    """The first delta."""

    def setUp(self) -> None:
        """Keep what is sent."""
        self.sent: list[Delta] = []
        self.patch(Outbox, "offer", lambda _, delta: self.sent.append(delta))

    def _recorder(self) -> Recorder:
        control_fd, outbox_fd = os.pipe()
        for descriptor in (control_fd, outbox_fd):
            self.addCleanup(os.close, descriptor)
        job = RunCommand(("true",), options=TraceOptions(objects=False))
        backend = PtraceBackend(Context(job, Outbox(outbox_fd), Control(control_fd)))
        backend.prepare()
        return backend._loop.recorder

    def _set_time(self, now_ns: int) -> None:
        self.patch(time, "time_ns", lambda: now_ns)

    def test_due(self) -> None:
        """It is due soon after the start, in the same tenth of a second."""
        recorder = self._recorder()
        for passed_ns in (0, FLUSH_NS - FIRST_NS // 2):
            self._set_time(_SECOND_NS + passed_ns)
            before_ns = time.monotonic_ns()
            recorder.start()
            most_ns = min(FIRST_NS, FLUSH_NS - passed_ns)
            self.assertLessEqual(recorder.due_ns, time.monotonic_ns() + most_ns)
            self.assertGreaterEqual(recorder.due_ns, before_ns + most_ns)

    def test_not_skipped(self) -> None:
        """It is sent in any tenth of a second; while there is little to send, others are not."""
        recorder = self._recorder()
        recorder.start()
        for tenth, expected in ((1, 1), (2, 1), (3, 2)):
            self._set_time(_SECOND_NS + tenth * FLUSH_NS)
            # After a second, a delta is sent although nothing has happened.
            recorder._sent_ns = min(recorder._sent_ns, 1)
            recorder.flush()
            self.assertEqual(expected, len(self.sent))

    def test_span(self) -> None:
        """The span of a trace that was prepared long before begins with the trace."""
        recorder = self._recorder()
        self._set_time(_SECOND_NS)
        recorder.begin()
        self._set_time(_SECOND_NS + FLUSH_NS)
        self.assertEqual(_SECOND_NS, cast("Span", recorder.finish().span).first_ns)
