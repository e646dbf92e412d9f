"""Tests of the thread of an output: what it does if that is slow, or needs nothing more."""

import threading
from collections.abc import Sequence

import attrs
from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.events import EVENT
from syswatch.codec.frames import encode
from syswatch.model.messages import Ended
from syswatch.model.recording import RecordingState
from syswatch.recording.write.output import Ending, OutputThread

from .test_tables import event

_SECOND = 1_700_000_000


@attrs.define
class SlowOutput:
    """Notes what it receives, when it is allowed to."""

    gate: threading.Event = attrs.field(factory=threading.Event)
    error: OSError | None = None
    received: list[object] = attrs.field(factory=list)

    def begin(self) -> None:
        """Wait."""
        self.gate.wait()

    def receive_events(self, data: bytes) -> None:
        """Note how many, or fail."""
        if self.error is not None:
            raise self.error
        self.received.append(len(data) // EVENT.size)

    def receive_texts(self, texts: Sequence[Text]) -> None:
        """Note how many."""
        self.received.append(f"{len(texts)} texts")

    def receive_losses(self, losses: Sequence[Loss]) -> None:
        """Note them."""
        self.received.append(list(losses))

    def receive_lives(self, lives: Sequence[Life]) -> None:
        """Note them."""
        self.received.append(list(lives))

    def receive_frame(self, frame: bytes) -> None:
        """Note it."""
        self.received.append(frame)

    def tick(self) -> None:
        """Do nothing."""

    def finish(self, ending: Ending) -> None:
        """Note it."""
        self.received.append(ending)

    def stop(self, trouble: str) -> None:
        """Note it."""
        self.received.append(f"stopped: {trouble}")

    def state(self) -> RecordingState:
        """Return that of nothing."""
        return RecordingState("x")


class OutputThreadTests(TestCase):
    """An output that waits, is full, or ends."""

    def start(self, output: SlowOutput, **options: object) -> OutputThread:
        """Start a thread."""
        thread = OutputThread(output, **options)  # type: ignore[arg-type]
        thread.start()
        self.addCleanup(thread._thread.join)
        self.addCleanup(output.gate.set)
        return thread

    def test_dropped(self) -> None:
        """What does not fit is dropped, and counted at its place, by thread and second."""
        output = SlowOutput()
        thread = self.start(output, most_queued=EVENT.size)
        calls = [event(_SECOND * 10**9 + number, duration_ns=1) for number in range(6)]
        for each in calls[:2]:
            thread.receive_events(each)
        for each in calls[2:5]:
            thread.receive_texts([Text(7, 1, "", "")])
            thread.receive_events(each)
        thread.receive_losses([Loss(7, _SECOND, 10), Loss(8, _SECOND, 1)])
        self.assertEqual([], output.received)
        output.gate.set()
        thread.finish(Ended(0))
        thread._thread.join()
        losses = [Loss(7, _SECOND, 13), Loss(8, _SECOND, 1)]
        self.assertEqual([1, 1, losses, Ended(0)], output.received)
        self.assertTrue(thread.state.is_complete)

    def test_many_dropped(self) -> None:
        """However long nothing is read, the counts of losses take little memory."""
        output = SlowOutput()
        thread = self.start(output, most_queued=-1)
        thread.receive_losses([Loss(tid, _SECOND, 1) for tid in range(1, 30_000)])
        thread.finish(None)
        output.gate.set()
        thread._thread.join()
        losses = output.received[0]
        assert isinstance(losses, list)
        self.assertLessEqual(len(losses), 10_001)
        self.assertEqual(29_999, sum(each.calls for each in losses))

    def test_enough(self) -> None:
        """If its reader has read enough, the output ends without trouble."""
        output = SlowOutput(error=BrokenPipeError())
        output.gate.set()
        thread = self.start(output)
        thread.receive_events(event(1))
        thread._thread.join()
        thread.receive_events(event(2))
        self.assertEqual(["stopped: "], output.received)
        self.assertEqual((False, True), (thread.is_working, thread.state.is_complete))
        self.assertEqual("", thread.state.trouble)

    def test_trouble(self) -> None:
        """Another error is a trouble."""
        output = SlowOutput(error=OSError(28, "No space left on device"))
        output.gate.set()
        thread = self.start(output)
        thread.receive_events(event(1))
        thread._thread.join()
        self.assertEqual("No space left on device", thread.state.trouble)
        self.assertFalse(thread.state.is_complete)

    def test_frames(self) -> None:
        """Frames are passed on only to outputs that take them; the end is announced."""
        for takes_frames in (False, True):
            output, announced = SlowOutput(), threading.Event()
            thread = self.start(output, takes_frames=takes_frames, before_end=announced.set)
            thread.receive_frame(encode(Ended(0)))
            thread.finish(None)
            self.assertTrue(announced.is_set())
            output.gate.set()
            thread._thread.join()
            self.assertEqual([*[encode(Ended(0))] * takes_frames, None], output.received)
