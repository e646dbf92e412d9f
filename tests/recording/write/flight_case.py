"""A flight recorder with a clock that the tests advance."""

import errno
from pathlib import Path
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import RecordingReader
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Started
from syswatch.model.process import ProcessInfo
from syswatch.model.recording import Save
from syswatch.recording import segments
from syswatch.recording.extra import load
from syswatch.recording.keeping import Keep, Trigger
from syswatch.recording.manifest import Manifest
from syswatch.recording.write.flight import FlightRecorder

from .test_tables import event

START = 1_700_000_000_000_000_000
SECOND = 10**9
NO_SPACE = Trigger("errno:ENOSPC", errno=errno.ENOSPC)


def refuse(*_: Any) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, "No space left on device")


class FlightCase(TestCase):
    """A recorder of which ten seconds are kept."""

    def setUp(self) -> None:
        """Begin a recording of which ten seconds are kept."""
        self.clock = Clock()
        self.start(Keep(seconds=10))

    def start(self, keep: Keep) -> None:
        """Begin a recording."""
        self.folder = Path(self.mktemp())
        about = Manifest(begun_ns=START)
        self.recorder = FlightRecorder(self.folder, about, clock=self.clock.seconds, keep=keep)
        self.recorder.begin()
        self.recorder.receive_frame(encode(Started("test", ProcessInfo(5, "app"))))

    def second(self, *events: bytes, delta: Delta | None = None) -> None:
        """Let a second pass in which a call is made, and perhaps others."""
        number = int(self.clock.seconds())
        self.recorder.receive_events(
            b"".join((event(START + number * SECOND, result=number), *events))
        )
        at_ns = START + number * SECOND
        self.recorder.receive_frame(encode(delta or Delta(span=Span(START, at_ns))))
        self.clock.advance(1)
        self.recorder.tick()

    @property
    def saves(self) -> tuple[Save, ...]:
        """What was saved."""
        return self.recorder.state().saves

    def results(self, folder: Path | None = None) -> list[int]:
        """Return the results of the calls in a directory."""
        folder = folder or self.folder
        parquet = load("pyarrow.parquet")
        return [
            result
            for number in segments.numbers_in(folder, segments.CALLS)
            for result in parquet.read_table(
                folder / segments.CALLS / segments.name_of(number), columns=["result"]
            )["result"].to_pylist()
        ]

    def deltas(self, folder: Path | None = None) -> list[Any]:
        """Return the messages in the deltas."""
        reader = RecordingReader()
        return list(reader.receive_data(((folder or self.folder) / "deltas").read_bytes()))

    def saved(self) -> Path:
        """Return the directory of the only save."""
        (save,) = self.saves
        self.assertEqual("", save.trouble)
        return Path(save.place)
