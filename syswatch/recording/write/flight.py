"""
A recording of which only the newest part is kept, and saved when something happens.

What arrives between two closings of segments is a part: it is removed as a whole, segment and
deltas, once it is too old or too much is stored.
"""

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar, cast

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Life
from syswatch.codec.frames import decoded, encode, kind_of
from syswatch.model.delta import TRACKED_PROCESSES, Delta
from syswatch.model.messages import Ended, SaveRecording, Started
from syswatch.model.recording import RecordingState
from syswatch.recording import manifest, segments
from syswatch.recording.keeping import Keep
from syswatch.recording.manifest import Manifest

from .deltas import lasting_since
from .names import MOST_OBJECTS
from .output import Ending
from .reasons import Reasons
from .recorder import Recorder
from .reserve import Reserve
from .saves import Contents, Saves
from .tables import unfinished_in
from .triggers import Found, in_ending, in_events, in_lives

# Looking for what is not needed any more takes time.
_PARTS_UNTIL_TIDY: Final = 16
# Most file systems give a file as many bytes as a multiple of this.
_BLOCK: Final = 4096
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})

T = TypeVar("T")


@define
class _Part:
    """What arrived until a segment was closed."""

    number: int
    begun_ns: int
    # In seconds of the clock of the recorder; 0 as long as it is not closed.
    closed_s: float = 0.0
    # The number of its segment, if there is one, its size, and what it takes on the disk.
    segment: int | None = None
    segment_bytes: int = 0
    disk_bytes: int = 0
    delta_bytes: int = 0
    calls: int = 0
    unfinished: int = 0
    lost: int = 0


@define(eq=False)
class FlightRecorder(Recorder):
    """Writes a directory, and removes the oldest part of it."""

    keep: Keep = attrs.field(factory=Keep, kw_only=True)
    _saves: Saves = attrs.field(init=False)
    _reserve: Reserve = attrs.field(init=False)
    _reasons: Reasons = attrs.field(factory=Reasons, init=False)
    # The parts that are closed, the most that there were, and the one that is being received.
    _parts: deque[_Part] = attrs.field(factory=deque, init=False)
    _most_parts: int = attrs.field(default=0, init=False)
    _part: _Part = attrs.field(init=False)
    # What the segments of all parts take on the disk.
    _disk_bytes: int = attrs.field(default=0, init=False)
    # The bounds of what is kept, for other threads as well.
    _kept_from_ns: int = attrs.field(default=0, init=False)
    _kept_to_ns: int = attrs.field(default=0, init=False)
    # The end of the time that the last delta is about.
    _reported_ns: int = attrs.field(default=0, init=False)
    _target: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the files."""
        super().__attrs_post_init__()
        self._saves = Saves(self.folder, self.keep.most_saves)
        self._reserve = Reserve(self.folder / ".reserve")
        self._part = _Part(0, time.time_ns())
        self._kept_from_ns = self._kept_to_ns = self._part.begun_ns

    def begin(self) -> None:
        """Create the directory."""
        super().begin()
        self._reserve.hold()

    def receive_events(self, data: bytes) -> None:
        """Add events, and look for reasons to save in them."""
        armed = [each for each in self.keep.triggers if not self._reasons.has(each.text)]
        if armed:
            self._note(in_events(data, armed))
        super().receive_events(data)

    def receive_lives(self, lives: Iterable[Life]) -> None:
        """Add what is known of processes, and look for those that failed."""
        listed = list(lives)
        self._note(in_lives(listed, self._target))
        super().receive_lives(listed)

    def receive_frame(self, frame: bytes) -> None:
        """Add a frame of the tracer, or handle a request of the service."""
        kind = kind_of(frame)
        if kind is SaveRecording:
            wanted = cast("SaveRecording", decoded(frame))
            name = wanted.trigger.partition(":")[0] or "requested"
            self._note([Found(wanted.trigger, name, wanted.reason)], wanted.request)
            return
        if kind is Started:
            self._target = cast("Started", decoded(frame)).process.pid
        elif kind is Delta:
            frame, self._reported_ns = lasting_since(frame, self._reported_ns)
        self._part.delta_bytes += len(frame)
        super().receive_frame(frame)

    def tick(self) -> None:
        """Close the segment if it is old enough, and save if it is time for that."""
        super().tick()
        if self._reasons.is_due(self.clock()):
            self.close_segment()
            self._save(self._about_until_now, encode(Ended()), lambda: self.about)

    def close_segment(self) -> None:
        """Write what has arrived since the last segment, and remove what is too old."""
        super().close_segment()
        closed = self._part
        closed.closed_s = self.clock()
        if closed.segment is not None or closed.delta_bytes:
            self._parts.append(closed)
            self._most_parts = max(self._most_parts, len(self._parts))
        self._part = _Part(closed.number + 1, time.time_ns())
        self._processes.now = self._objects.now = self._part.number
        self._remove_old()
        self._kept_to_ns = self._part.begun_ns

    def finish(self, ending: Ending) -> None:
        """Write the rest; save it if the command failed, or if there was another reason."""
        if isinstance(ending, Ended):
            self._note(in_ending(ending.exit_code, ending.exit_signal))
        self.close_segment()
        self._reserve.release()
        self._with_room(self._deltas.rewrite)
        super().finish(ending)
        if (self.folder / manifest.NAME).exists():
            left = partial(self._with_ending, ending)
            about, end = (left, b"") if ending else (self._about_until_now, encode(Ended()))
            self._save(about, end, left)

    def stop(self, trouble: str) -> None:
        """Close what can be closed, and save it if there was a reason."""
        self._reserve.release()
        super().stop(trouble)
        left = partial(self._with_trouble, trouble)
        self._save(self._about_until_now, encode(Ended()), left)

    def state(self) -> RecordingState:
        """Return how much is kept."""
        return attrs.evolve(
            super().state(),
            kept_from_ns=self._kept_from_ns,
            kept_to_ns=self._kept_to_ns,
            saves=self._saves.made,
        )

    def _note(self, found: Iterable[Found], request: int = 0) -> None:
        self._reasons.note(found, self._part.number, self.clock(), request)

    def _about_until_now(self) -> Manifest:
        return attrs.evolve(self.about, ended_ns=time.time_ns())

    def _save(
        self, about: Callable[[], Manifest], end: bytes, left: Callable[[], Manifest]
    ) -> None:
        """Save what is kept, if there was a reason; describe what is left, if it became less."""
        pending = self._reasons.take()
        if pending is None:
            return
        name, request, before = pending.name, pending.request, self.about

        def saved() -> Manifest:
            return attrs.evolve(about(), saved_reason=pending.sentence)

        try:
            self._with_room(lambda: self._saves.make(name, self._contents(saved(), end), request))
        except OSError as error:
            self._saves.note_failure(name, saved(), error.strerror or str(error), request)
        if self.about is not before:
            with suppress(OSError):
                manifest.write(self.folder, left())

    def _contents(self, about: Manifest, end: bytes) -> Contents:
        numbers = [part.segment for part in self._parts if part.segment is not None]
        return Contents(about, numbers, (self._processes, self._objects), self._deltas, end)

    def _save_segment(self, kind: str, content: memoryview) -> None:
        while self._parts and self._is_too_large(len(content)):
            self._remove_oldest()
        super()._save_segment(kind, content)
        part, blocks = self._part, -(-len(content) // _BLOCK)
        part.segment = self.segment_count
        part.segment_bytes += len(content)
        part.disk_bytes += blocks * _BLOCK
        self._disk_bytes += blocks * _BLOCK

    def _save_calls(self, table: Any) -> None:
        super()._save_calls(table)
        unfinished = unfinished_in(table)
        self._part.calls += len(table) - unfinished
        self._part.unfinished += unfinished

    def _save_losses(self, losses: dict[tuple[int, int], int]) -> None:
        super()._save_losses(losses)
        self._part.lost += sum(losses.values())

    def _with_room(self, write: Callable[[], T]) -> T:
        """
        Write something; if the disk is full, use what is reserved, then remove the oldest parts.

        At most half of them: another program may fill the disk again, and they may be needed.
        """
        while True:
            try:
                return write()
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                if self._reserve.release():
                    self._reasons.hurry(self.clock())
                    continue
                if 2 * len(self._parts) <= self._most_parts + 1:
                    raise
            self._remove_oldest()

    def _remove_old(self) -> None:
        """Remove the parts that are too old or too much."""
        while self._parts and self._is_too_old(self._parts[0]):
            self._remove_oldest()
        while len(self._parts) > 1 and self._is_too_large():
            self._remove_oldest()
        self._note_oldest()
        self._reasons.forget(self._oldest.number)
        if self._part.number % _PARTS_UNTIL_TIDY == 0:
            self._tidy(self._oldest.number)
        if self._deltas.has_much_dropped:
            # There may be no room for a copy.
            with suppress(OSError):
                self._deltas.rewrite()
                manifest.write(self.folder, self.about)

    def _is_too_old(self, part: _Part) -> bool:
        return self.keep.seconds is not None and self.clock() - part.closed_s > self.keep.seconds

    def _is_too_large(self, more: int = 0) -> bool:
        if self.keep.size is None:
            return False
        tables = self._processes.written_bytes + self._objects.written_bytes
        # What is dropped of the deltas is removed from the disk when it is as much as the rest.
        deltas = 2 * self._deltas.needed
        return self._disk_bytes + tables + deltas + self._reserve.held + more > self.keep.size

    @property
    def _oldest(self) -> _Part:
        return self._parts[0] if self._parts else self._part

    def _remove_oldest(self) -> None:
        part = self._parts.popleft()
        if part.segment is not None:
            for kind in (segments.CALLS, segments.LOSSES, segments.BINS):
                path = self.folder / kind / segments.name_of(part.segment)
                path.unlink(missing_ok=True)
        self._segment_bytes -= part.segment_bytes
        self._disk_bytes -= part.disk_bytes
        self.calls -= part.calls
        self.unfinished -= part.unfinished
        about = self.about
        since_ns = about.begun_ns if about.traced_since_ns is None else about.traced_since_ns
        self.about = attrs.evolve(about, lost=about.lost - part.lost, traced_since_ns=since_ns)
        self._note_oldest()
        self._deltas.drop(part.delta_bytes)

    def _note_oldest(self) -> None:
        """Note from when on everything is kept."""
        self._kept_from_ns = begun_ns = self._oldest.begun_ns
        if self.about.traced_since_ns is not None:
            self.about = attrs.evolve(self.about, begun_ns=begun_ns)

    def _tidy(self, oldest: int) -> None:
        """Forget processes that ended before what is kept, and objects that no call may mention."""
        self._reserve.hold()
        self._processes.forget(oldest, 0, lambda life: life.end_ns is None)
        self._processes.forget(oldest, TRACKED_PROCESSES)
        self._objects.forget(oldest, MOST_OBJECTS)
