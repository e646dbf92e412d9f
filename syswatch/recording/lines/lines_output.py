"""The output of the recorder that writes a line for each call."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from typing import Final

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.events import EVENT, UNFINISHED_NS, Flag
from syswatch.model.recording import LINES, RecordingState
from syswatch.recording.write.output import Ending

from .destination import Destination
from .form import Event, Form

# Calls are sent when they return; so many are sorted by their start at a time, or those of a tick.
_MOST_SORTED: Final = 50_000
# Texts of which the calls have not arrived: the last ones, because both are sent together.
_MOST_TEXTS: Final = 100_000
_START, _DURATION, _TID, _FLAGS = 0, 1, 14, 17
_moment = itemgetter(0)


@define(eq=False)
class LinesOutput:
    """Sorts the calls that arrive together by their start, and writes a line for each."""

    destination: Destination
    form: Form
    _calls: int = attrs.field(default=0, init=False)
    _unfinished: int = attrs.field(default=0, init=False)
    _lost: int = attrs.field(default=0, init=False)
    _events: list[Event] = attrs.field(factory=list, init=False)
    _texts: dict[tuple[int, int], tuple[str, str]] = attrs.field(factory=dict, init=False)
    # Ends of processes, and those of which the last calls have not arrived yet.
    _endings: list[tuple[int, str]] = attrs.field(factory=list, init=False)
    _early_endings: list[tuple[int, str]] = attrs.field(factory=list, init=False)

    def begin(self) -> None:
        """Open the file."""
        self.destination.open()

    def receive_events(self, data: bytes) -> None:
        """Add whole events."""
        self._events += EVENT.iter_unpack(data)
        self._expect_endings()
        if len(self._events) >= _MOST_SORTED:
            self.tick()

    def receive_texts(self, texts: Iterable[Text]) -> None:
        """Add texts, of which the events follow."""
        for tid, start_ns, arguments, result in texts:
            self._texts[tid, start_ns] = arguments, result

    def receive_losses(self, losses: Iterable[Loss]) -> None:
        """Mark this place."""
        self.tick()
        lines = [self.form.loss(loss) for loss in losses]
        self._lost += sum(loss.calls for loss in losses)
        self._write(lines)

    def receive_lives(self, lives: Iterable[Life]) -> None:
        """Add the ends of processes, of which the last calls may follow."""
        self._early_endings += (
            (life.end_ns, self.form.ending(life, life.end_ns))
            for life in lives
            if life.end_ns is not None and _is_explained(life)
        )

    def receive_frame(self, _frame: bytes) -> None:
        """Ignore what concerns no single call."""

    def tick(self) -> None:
        """Write the calls that have arrived, in the order of their starts."""
        events, self._events = self._events, []
        endings, self._endings = self._endings, []
        # Without calls, they are written by the next tick.
        self._expect_endings()
        calls = sorted((each for each in events if not each[_FLAGS] & Flag.MOVED), key=_moment)
        lines = [
            (
                event[_START],
                self.form.call(event, self._texts.pop((event[_TID], event[_START]), None)),
            )
            for event in calls
        ]
        unfinished = sum(event[_DURATION] == UNFINISHED_NS for event in calls)
        self._calls += len(calls) - unfinished
        self._unfinished += unfinished
        self._forget_texts()
        if endings:
            lines = sorted([*lines, *endings], key=_moment)
        self._write([line for _, line in lines])

    def finish(self, _ending: Ending) -> None:
        """Write the rest."""
        self._expect_endings()
        self.tick()
        self.destination.close()

    def stop(self, trouble: str) -> None:
        """Close the file after an error; a reader that has read enough misses nothing."""
        if not trouble:
            self._lost = 0
        with suppress(OSError):
            self.destination.close()

    def state(self) -> RecordingState:
        """Return how much has been written."""
        return RecordingState(
            place=escape_text(self.destination.path),
            what=LINES,
            calls=self._calls,
            unfinished=self._unfinished,
            written_bytes=self.destination.written_bytes,
            lost=self._lost,
            awaits_reader=self.destination.awaits_reader,
        )

    def _expect_endings(self) -> None:
        self._endings += self._early_endings
        self._early_endings = []

    def _write(self, lines: list[str]) -> None:
        if lines:
            self.destination.write("\n".join(lines) + "\n")

    def _forget_texts(self) -> None:
        """Forget the oldest texts of which the calls were dropped."""
        for key in list(islice(self._texts, max(0, len(self._texts) - _MOST_TEXTS))):
            del self._texts[key]


def _is_explained(life: Life) -> bool:
    return life.exit_code is not None or life.exit_signal is not None
