"""What a tracer sends to the recorder, collected for tests."""

import os
from collections.abc import Iterator, Mapping, Sequence
from threading import Thread
from typing import NamedTuple

import attrs

from syswatch.codec.event_frames import EventDecoder, Life, Loss, Text
from syswatch.codec.events import ARCHITECTURES, EVENT, FIELDS, UNFINISHED_NS, Flag
from syswatch.model.calls import CallTally
from syswatch.model.errnos import errno_name
from syswatch.tracer.naming import X32_BIT, plain_name_of, shown_name

_ARGUMENTS_AT = [name for name, _ in FIELDS].index("argument0")
_AFTER_ARGUMENTS = _ARGUMENTS_AT + 6


class Event(NamedTuple):
    """A recorded call."""

    start_ns: int
    duration_ns: int
    waiting_ns: int
    ready_ns: int
    object: int
    result: int
    bytes: int
    arguments: tuple[int, ...]
    pid: int
    tid: int
    number: int
    architecture: int
    flags: int
    cpu: int
    sequence: int

    @property
    def name(self) -> str:
        """The name of the call, as deltas have it."""
        architecture, number = ARCHITECTURES[self.architecture], self.number
        if architecture == "x32":
            architecture, number = "x86_64", number | X32_BIT
        return shown_name(plain_name_of(architecture, number), architecture, number)

    @property
    def end_ns(self) -> int:
        """When it returned."""
        return self.start_ns + self.duration_ns

    @property
    def error(self) -> str:
        """The name of the error, empty if it did not fail."""
        return errno_name(self.result) if self.flags & Flag.FAILED else ""

    @property
    def has_returned(self) -> bool:
        """Return whether it is a call that returned: deltas count these only."""
        return not self.flags & (Flag.UNFINISHED | Flag.MOVED)


@attrs.frozen
class Sums:
    """The sums of calls, as far as both events and deltas have them."""

    count: int = 0
    errors: int = 0
    total_ns: int = 0
    waits: int = 0
    waiting_ns: int = 0
    ready_ns: int = 0


@attrs.frozen
class Recorded:
    """Everything that was recorded."""

    events: tuple[Event, ...] = ()
    texts: tuple[Text, ...] = ()
    losses: tuple[Loss, ...] = ()
    lives: tuple[Life, ...] = ()

    @property
    def calls(self) -> Sequence[Event]:
        """The calls that have returned."""
        return [event for event in self.events if event.has_returned]

    @property
    def unfinished(self) -> Sequence[Event]:
        """The calls that have not."""
        return [event for event in self.events if event.flags & Flag.UNFINISHED]

    def named(self, name: str) -> list[Event]:
        """Return the calls of a name that have returned."""
        return [event for event in self.calls if event.name == name]

    @property
    def sums(self) -> dict[str, Sums]:
        """The sums of the calls that have returned, by name."""
        found: dict[str, Sums] = {}
        for event in self.calls:
            untimed = bool(event.flags & Flag.UNTIMED)
            former = found.get(event.name, Sums())
            found[event.name] = Sums(
                former.count + 1,
                former.errors + bool(event.flags & Flag.FAILED),
                former.total_ns + (0 if untimed else event.duration_ns),
                former.waits + bool(event.flags & Flag.WAITED),
                former.waiting_ns + event.waiting_ns,
                former.ready_ns + event.ready_ns,
            )
        return found

    def text_of(self, event: Event) -> Text | None:
        """Return the text of a call."""
        key = event.tid, event.start_ns
        return next((text for text in self.texts if (text.tid, text.start_ns) == key), None)

    def life_of(self, pid: int) -> Life:
        """Return what is known of a process, of which there was only one with this PID."""
        found = Life(pid, None, 0, "", "")
        for life in self.lives:
            if life.pid == pid:
                known = {
                    name: value for name, value in life._asdict().items() if value not in (None, "")
                }
                found = found._replace(**known)
        return found


def sums_of(calls: Mapping[str, CallTally]) -> dict[str, Sums]:
    """Return the sums of the calls in a delta, by name."""
    return {
        name: Sums(
            tally.count,
            tally.errors,
            tally.total_ns,
            tally.waits.count,
            tally.waits.waiting_ns,
            tally.waits.ready_ns,
        )
        for name, tally in calls.items()
    }


class EventReader:
    """Reads the pipe to the recorder in a thread, so that the tracer never finds it full."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._data = bytearray()
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while data := os.read(self._fd, 1 << 20):
            self._data += data
        os.close(self._fd)

    def finish(self, patience_s: float) -> Recorded:
        """Wait until the tracer closes its end; return what it has sent."""
        self._thread.join(patience_s)
        if self._thread.is_alive():
            raise AssertionError("the tracer has not closed the pipe to the recorder")
        decoder = EventDecoder()
        decoder.receive_data(bytes(self._data))
        frames = list(decoder.frames())
        if decoder.pending:
            raise AssertionError(f"an incomplete frame of events: {decoder.pending} bytes")
        records = [each for frame in frames if isinstance(frame, list) for each in frame]
        return Recorded(
            events=tuple(each for frame in frames for each in _events_of(frame)),
            texts=tuple(each for each in records if isinstance(each, Text)),
            losses=tuple(each for each in records if isinstance(each, Loss)),
            lives=tuple(each for each in records if isinstance(each, Life)),
        )


def _events_of(frame: object) -> Iterator[Event]:
    if not isinstance(frame, bytes):
        return
    for values in EVENT.iter_unpack(frame):
        before, after = values[:_ARGUMENTS_AT], values[_AFTER_ARGUMENTS:]
        event = Event._make((*before, values[_ARGUMENTS_AT:_AFTER_ARGUMENTS], *after))
        if bool(event.flags & Flag.UNFINISHED) != (event.duration_ns == UNFINISHED_NS):
            raise AssertionError(f"the flags contradict the duration: {event}")
        yield event
