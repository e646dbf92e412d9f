"""Tests of the recorder process as the service sees it."""

import signal
from typing import Any, cast

import attrs
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.interfaces import IReactorProcess
from twisted.python.failure import Failure

from syswatch.codec.frames import encode
from syswatch.codec.recorder_reports import Report
from syswatch.codec.recorder_reports import encode as line_of
from syswatch.model.messages import Ended, SaveRecording, Started
from syswatch.model.recording import LINES, RecordingState, Save
from syswatch.service import recorder_process as recorder_module
from syswatch.service.recorder_process import PATIENCE_S, NotSavedError, SaveFailedError
from syswatch.service.tracer_process import DETACH_S

from .fake_tracer import READS, TracerCase

_WRITTEN = RecordingState("x", calls=7, written_bytes=2048, segments=1)


class RecorderCase(TracerCase):
    """A recorder that reports."""

    def setUp(self) -> None:
        """Collect what is announced."""
        super().setUp()
        self.notices: list[str] = []
        self.patch(recorder_module, "announce", self.notices.append)

    def report(self, **what: Any) -> None:
        """Report as the child."""
        self.recorder.outReceived(line_of((attrs.evolve(_WRITTEN, **what),)))

    @property
    def shown(self) -> Report:
        """What the session shows."""
        self.session.publish()
        return self.session.snapshot.recordings


class RecorderProcessTests(RecorderCase):
    """What the recorder is sent, and what its reports mean."""

    def test_spawned(self) -> None:
        """The child gets pipes for frames, reports and events, and its own command line."""
        spawned: dict[str, Any] = {}

        class Reactor:
            def spawnProcess(self, *arguments: Any, **options: Any) -> None:
                spawned.update(options, words=arguments[2][1:])

        self.patch(recorder_module, "given_environment", lambda: {"HOME": "/", "LISTEN_FDS": "1"})
        self.recorder.spawn(cast("IReactorProcess", Reactor()))
        self.addCleanup(self.recorder.close_pipes)
        words = ["-m", "syswatch.recording.write", "--events=3", "--ready=4", b"--directory=x"]
        self.assertEqual(words, spawned["words"])
        numbers = spawned["childFDs"]
        self.assertEqual({0, 1, 2, 3, 4}, numbers.keys())
        self.assertEqual(("w", "r"), (numbers[0], numbers[1]))
        self.assertNotEqual(self.recorder.events_fd, numbers[3])
        self.assertEqual({"HOME": "/"}, spawned["env"])

    def test_progress(self) -> None:
        """The session shows how much has been written."""
        line = line_of((_WRITTEN,))
        for place in range(len(line)):
            self.recorder.outReceived(line[place : place + 1])
        self.assertEqual((_WRITTEN,), self.shown)
        self.assertTrue(self.recorder.is_writing)

    def test_trouble(self) -> None:
        """An output that has failed is announced once; the trace continues."""
        for _ in range(2):
            self.report(trouble="No space left on device")
        self.send(Started("test"), READS)

        self.assertTrue(self.recorder.has_failed)
        self.assertEqual("No space left on device", self.shown[0].trouble)
        self.assertEqual(2, self.session.snapshot.total)
        why = "No space left on device; what was written before it can be read"
        self.assertEqual([f"recording x has stopped: {why}"], self.notices)
        self.assertEqual(b"", self.recorder_transport.written)
        self.assertEqual(None, self.successResultOf(self.recorder.finish()))

    def test_finished(self) -> None:
        """The end waits until everything is written, as long as something is being written."""
        finished = self.recorder.finish(), self.recorder.finish()
        self.assertEqual([0], self.recorder_transport.closed)
        for calls in range(5):
            self.clock.advance(PATIENCE_S - 1)
            self.report(calls=calls)
        self.assertNoResult(finished[0])
        self.report(is_complete=True)
        for each in finished:
            self.assertIsNone(self.successResultOf(each))
        self.recorder.processEnded(Failure(ProcessDone(0)))
        self.assertEqual(([], False), (self.notices, self.recorder.has_failed))
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_overdue(self) -> None:
        """A recorder whose disk does not answer is not waited for."""
        finished = self.recorder.finish()
        self.report()
        self.clock.advance(PATIENCE_S)
        self.assertIsNone(self.successResultOf(finished))
        self.assertEqual(["KILL"], self.recorder_transport.signals)
        self.assertTrue(self.recorder.has_failed)
        self.assertIn("nothing was written for 10 s", self.notices[0])

    def test_slow_reader(self) -> None:
        """A reader such as a pager is waited for, until a signal ends that."""
        finished = self.recorder.finish()
        self.report(awaits_reader=True)
        self.clock.advance(PATIENCE_S)
        self.clock.advance(PATIENCE_S)
        self.assertNoResult(finished)
        self.assertEqual([], self.recorder_transport.signals)
        self.recorder.abandon()
        self.assertIsNone(self.successResultOf(finished))
        self.assertEqual(["KILL"], self.recorder_transport.signals)
        self.assertIn("its reader has not read all", self.notices[0])
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_nothing_abandoned(self) -> None:
        """What does not wait for a reader is not given up."""
        finished = self.recorder.finish()
        self.report()
        self.recorder.abandon()
        self.assertNoResult(finished)
        self.report(is_complete=True)
        self.assertIsNone(self.successResultOf(finished))

    def test_killed(self) -> None:
        """A recorder that is killed is announced."""
        self.report()
        self.recorder.processEnded(Failure(ProcessTerminated(signal=signal.SIGKILL)))
        self.assertIn("recording x has stopped: the recorder was killed by signal 9", *self.notices)
        self.assertEqual(7, self.shown[0].calls)

    def test_damaged_report(self) -> None:
        """A recorder that sends anything else is killed."""
        self.recorder.outReceived(b"x\n")
        self.assertEqual(["KILL"], self.recorder_transport.signals)
        self.flushLoggedErrors()

    def test_frames_after_the_end(self) -> None:
        """After the end, nothing is sent."""
        self.recorder.finish()
        self.recorder.send(encode(READS))
        self.assertEqual(b"", self.recorder_transport.written)

    def test_rest_of_the_events(self) -> None:
        """A tracer that has detached is not killed while the recorder takes the rest from it."""
        self.tracer.detach()
        self.send(Ended())
        self.clock.advance(2 * DETACH_S)
        self.assertEqual([], self.transport.signals)
        self.report(is_complete=True)
        self.clock.advance(DETACH_S)
        self.assertEqual(["KILL"], self.transport.signals)


class SavingTests(RecorderCase):
    """Saves of a flight recorder."""

    def test_announced(self) -> None:
        """Each save is announced once, and so is one that had to make room for it."""
        first, second = Save(1, "x/saves/a", "SIGUSR1"), Save(2, "x/saves/b", "HTTP request")
        for saves in ((first,), (first,), (first, second), (second,)):
            self.report(saves=saves)
        self.assertEqual(
            [
                "saved x/saves/a (SIGUSR1)",
                "saved x/saves/b (HTTP request)",
                "removed x/saves/a, the oldest save (--keep-saves)",
            ],
            self.notices,
        )
        self.assertEqual((second,), self.shown[0].saves)

    def test_failed(self) -> None:
        """A save that could not be made is announced, and so is not its removal."""
        self.report(saves=(Save(1, "x/saves/a", "SIGUSR1", trouble="the disk is full"),))
        self.report(saves=())
        self.assertEqual(
            ["x/saves/a could not be saved (SIGUSR1): the disk is full; recording continues"],
            self.notices,
        )

    def test_requested(self) -> None:
        """A request is sent, and answered by the first save that was made after it."""
        requests = [self.recorder.save("SIGUSR1"), self.recorder.save("HTTP request")]
        self.recorder.save_on("alert:x", "an alert")
        self.assertEqual(
            [
                SaveRecording("SIGUSR1", request=1),
                SaveRecording("HTTP request", request=2),
                SaveRecording("an alert", "alert:x"),
            ],
            self.recorder_transport.messages,
        )
        first, second = Save(1, "a", "SIGUSR1", 1), Save(2, "b", "HTTP request", 2)
        self.report(saves=(first,))
        self.assertEqual(first, self.successResultOf(requests[0]))
        self.assertNoResult(requests[1])
        self.report(saves=(first, second))
        self.assertEqual(second, self.successResultOf(requests[1]))

    def test_refused(self) -> None:
        """A request fails in words if the save does, or the recorder ends."""
        requests = [self.recorder.save("SIGUSR1") for _ in range(2)]
        self.report(saves=(Save(1, "a", "SIGUSR1", 1, "No space left on device"),))
        failure = self.failureResultOf(requests[0], SaveFailedError)
        self.assertEqual("No space left on device", failure.getErrorMessage())
        self.recorder.processEnded(Failure(ProcessTerminated(signal=signal.SIGKILL)))
        failure = self.failureResultOf(requests[1], NotSavedError)
        self.assertEqual("the recorder was killed by signal 9", failure.getErrorMessage())
        self.failureResultOf(self.recorder.save("SIGUSR1"), NotSavedError)

    def test_only_lines_left(self) -> None:
        """If the recording has stopped, nothing can be saved, although calls are still listed."""
        lines = RecordingState("calls", what=LINES)
        self.recorder.states = (*self.recorder.states, lines)
        request = self.recorder.save("SIGUSR1")
        stopped = attrs.evolve(_WRITTEN, trouble="No space left on device")
        self.recorder.outReceived(line_of((stopped, lines)))
        for each in (request, self.recorder.save("SIGUSR1")):
            failure = self.failureResultOf(each, NotSavedError)
            self.assertEqual("No space left on device", failure.getErrorMessage())
        self.assertTrue(self.recorder.is_writing)

    def test_after_the_end(self) -> None:
        """When the trace has ended, nothing can be saved."""
        self.recorder.finish()
        failure = self.failureResultOf(self.recorder.save("SIGUSR1"), NotSavedError)
        self.assertEqual("the trace has ended", failure.getErrorMessage())
