"""Tests of a recorder that is started before there is a reactor."""

import os
import signal
from pathlib import Path
from typing import Any, cast

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase, TestCase

from syswatch.codec.frames import Job
from syswatch.model.messages import ReadLogs
from syswatch.model.recording import RecordingState
from syswatch.recording import manifest
from syswatch.recording.write.__main__ import main as record
from syswatch.recording.write.claim import claim
from syswatch.service.early_recorder import EarlyRecorder
from syswatch.service.early_start import EarlyTracer
from syswatch.service.recorder_process import RecorderProcess
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess
from tests.recording.logs.reading import calls_in
from tests.service.early import early_tracer
from tests.system.servers import LOG

_JOB = ReadLogs((str(LOG),))


class EarlyCase:
    """Tracers with a recorder, and a directory for it."""

    def start(
        self, folder: Path, job: Job, *, is_held: bool = False
    ) -> tuple[EarlyTracer, EarlyRecorder]:
        """Start both, as a command does; signals are as before."""
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            early = early_tracer(job, is_held=is_held, records=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        claim(str(folder))
        early.start_recorder(record, str(folder))
        assert early.recorder is not None
        return early, early.recorder


class EarlyRecorderTests(EarlyCase, SynchronousTestCase):
    """A child without a reactor."""

    def setUp(self) -> None:
        """Name a directory."""
        self.folder = Path(self.mktemp())

    def test_unused(self) -> None:
        """
        A recorder that no session takes over ends, and leaves no directory behind.

        It holds no end of the pipes of the tracer, which ends before it.
        """
        early, recorder = self.start(self.folder, _JOB, is_held=True)
        early.close()
        for pid in (early.pid, recorder.pid):
            self.assertRaises(ChildProcessError, os.waitpid, pid, 0)
        self.assertFalse(self.folder.exists())

    def test_failure(self) -> None:
        """If no child can be started, nothing is left of the attempt, and the pipe is kept."""

        def refuse() -> int:
            raise BlockingIOError

        early = early_tracer(_JOB, is_held=True, records=True)
        free = os.dup(0)
        os.close(free)
        self.patch(os, "fork", refuse)
        early.start_recorder(record, str(self.folder))
        self.assertIsNone(early.recorder)
        again = os.dup(0)
        os.close(again)
        self.assertEqual(free, again)
        self.assertGreaterEqual(early.events_fd, 0)
        early.close()


class AdoptedTests(EarlyCase, TestCase):
    """A child that a session takes over."""

    async def test_session(self) -> None:
        """It records what the tracer sends, and reports that to the session."""
        folder = Path(self.mktemp())
        early, _ = self.start(folder, _JOB)
        session = Session(cast("Any", reactor))
        place = RecordingState(str(folder))
        recorder = RecorderProcess(
            cast("Any", reactor), (), (place,), listener=session.receive_report
        )
        ended: Deferred[None] = Deferred()
        self.patch(recorder, "processEnded", lambda _: ended.callback(None))
        assert early.recorder is not None
        recorder.adopt(early.recorder, cast("Any", reactor))
        tracer = TracerProcess(_JOB, session, cast("Any", reactor), recorder, early=early)
        tracer.spawn(cast("Any", reactor))
        await session.when_ended()
        await recorder.finish()
        (state,) = recorder.states
        self.assertTrue(state.is_complete)
        rows = calls_in(folder)
        self.assertEqual(state.calls + state.unfinished, len(rows))
        returned = [row for row in rows if row["result"] is not None]
        self.assertEqual(session.snapshot.total, len(returned))
        self.assertIsNotNone(manifest.read(folder).ended_ns)
        early.close()
        await tracer.detach()
        await ended
