"""The directory of a recording, made of what arrives: events, texts, losses, lives and frames."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.events import EVENT
from syswatch.codec.frames import decoded, kind_of
from syswatch.codec.log_calls import LogCalls
from syswatch.machine.folder_locks import FolderLock
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.recording import RecordingState
from syswatch.recording import manifest, segments
from syswatch.recording.columns import GROWING
from syswatch.recording.logs.pending import PendingLogCalls
from syswatch.recording.manifest import Manifest
from syswatch.recording.timeline.bins import bins_of

from .claim import release
from .deltas import DeltaFile
from .described import DescribedTable, add_life, add_objects, objects_table, processes_table
from .output import Ending
from .parquet import encoded
from .tables import calls_of, load_packages, losses_table, unfinished_in

# With the time for writing a segment, and for what the tracer collects before it sends, less than a
# second is missing after a crash.
_SEGMENT_S = 0.7
# Or with so many calls, which bounds the memory in use.
_MOST_BYTES = 250_000 * EVENT.size
_PRIVATE_FOLDER = 0o700

T = TypeVar("T")


@define(eq=False)
class Recorder:
    """Writes a directory; after an OSError call `stop`: what was written before stays readable."""

    folder: Path
    about: Manifest
    # After this time a segment is closed.
    segment_s: float = _SEGMENT_S
    clock: Callable[[], float] = time.monotonic
    # Whether the deltas are written, which queries do not need.
    has_sums: bool = True
    # What has been written.
    calls: int = attrs.field(default=0, init=False)
    unfinished: int = attrs.field(default=0, init=False)
    segment_count: int = attrs.field(default=0, init=False)
    _segment_bytes: int = attrs.field(default=0, init=False)
    _deltas: DeltaFile = attrs.field(init=False)
    # By which readers know that the recording is still being made.
    _lock: FolderLock = attrs.field(init=False)
    _events: list[bytes] = attrs.field(factory=list, init=False)
    _size: int = attrs.field(default=0, init=False)
    _logs: PendingLogCalls = attrs.field(factory=PendingLogCalls, init=False)
    _texts: dict[tuple[int, int], tuple[str, str]] = attrs.field(factory=dict, init=False)
    # Those whose events have not arrived: a segment may be closed before they do.
    _early_texts: dict[tuple[int, int], tuple[str, str]] = attrs.field(factory=dict, init=False)
    _losses: dict[tuple[int, int], int] = attrs.field(factory=dict, init=False)
    _processes: DescribedTable = attrs.field(factory=processes_table, init=False)
    _objects: DescribedTable = attrs.field(factory=objects_table, init=False)
    _begun_s: float = attrs.field(init=False)
    _has_started: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the file of deltas, and the lock."""
        self._deltas = DeltaFile(self.folder)
        self._lock = FolderLock(self.folder)
        self._begun_s = self.clock()

    @property
    def written_bytes(self) -> int:
        """How many bytes the files of the recording have, without the manifest."""
        tables = self._processes.written_bytes + self._objects.written_bytes
        return self._segment_bytes + self._deltas.size + tables

    def begin(self) -> None:
        """Create the directory, unless it exists, with an empty recording."""
        load_packages()
        self.folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        self._lock.hold()
        manifest.write(self.folder, self.about)
        if self.has_sums:
            self._deltas.create()

    def receive_events(self, data: bytes) -> None:
        """Add events, whole ones."""
        self._texts |= self._early_texts
        self._early_texts = {}
        self._events.append(data)
        self._size += len(data)
        if self._size >= _MOST_BYTES:
            self.close_segment()

    def receive_log_calls(self, calls: LogCalls) -> None:
        """Add calls of a log."""
        self._logs.add(calls)
        if self._logs.is_full:
            self.close_segment()

    def receive_texts(self, texts: Iterable[Text]) -> None:
        """Add the texts of calls, of which the events follow."""
        for tid, start_ns, arguments, result in texts:
            self._early_texts[tid, start_ns] = arguments, result

    def receive_losses(self, losses: Iterable[Loss]) -> None:
        """Add how many calls of a thread are missing in a second."""
        for tid, second, calls in losses:
            self._losses[second, tid] = self._losses.get((second, tid), 0) + calls

    def receive_lives(self, lives: Iterable[Life]) -> None:
        """Add what is known of processes."""
        for life in lives:
            add_life(self._processes, life)

    def receive_frame(self, frame: bytes) -> None:
        """Add a frame of the tracer."""
        kind = kind_of(frame)
        if kind is Delta:
            add_objects(self._objects, frame)
        elif kind is Started:
            self._describe_target(frame)
        self._with_room(lambda: self._deltas.append(frame))

    def tick(self) -> None:
        """Close the segment if it is old enough."""
        if self.clock() - self._begun_s >= self.segment_s:
            self.close_segment()

    def close_segment(self) -> None:
        """Write what has arrived since the last segment."""
        self._begun_s = self.clock()
        data, texts, losses = b"".join(self._events), self._texts, self._losses
        self._events, self._size, self._texts, self._losses = [], 0, {}, {}
        # A trace has events, or the calls of logs.
        table = calls_of(data, texts) if data else self._logs.take_table()
        # First, so that calls are never there without what is missing between them.
        if losses:
            self._save_losses(losses)
        if table is not None:
            self._save_calls(table)
        self.segment_count += bool(table is not None or losses)
        for each in (self._processes, self._objects):
            self._with_room(partial(each.write_in_time, self.folder))
        self._deltas.sync()

    def finish(self, ending: Ending) -> None:
        """Write the rest, and how the trace ended; leave nothing behind if it never began."""
        self.close_segment()
        if not (self._has_started or self.segment_count) and ending is not None:
            self._deltas.close()
            release(self.folder)
            self._lock.release()
            return
        for table in (self._processes, self._objects):
            table.write(self.folder)
        self._deltas.close()
        self.about = self._logs.described(self.about)
        manifest.write(self.folder, self._with_ending(ending))
        self._lock.release()

    def stop(self, trouble: str) -> None:
        """Close what can be closed, and note why recording stopped, if that can be written."""
        with suppress(OSError):
            self._deltas.close()
        with suppress(OSError):
            manifest.write(self.folder, self._with_trouble(trouble))
        self._lock.release()

    def state(self) -> RecordingState:
        """Return how much has been written."""
        return RecordingState(
            place=escape_text(str(self.folder)),
            calls=self.calls,
            unfinished=self.unfinished,
            written_bytes=self.written_bytes,
            segments=self.segment_count,
            lost=self.about.lost,
        )

    def _describe_target(self, frame: bytes) -> None:
        match decoded(frame):
            case Started(backend=backend, process=process):
                self._has_started = True
                command = process.cmdline or process.comm
                self.about = attrs.evolve(self.about, backend=backend, command=command)
                manifest.write(self.folder, self.about)

    def _with_room(self, write: Callable[[], T]) -> T:
        """Write something; where there is a way to make room on a full disk, that is done."""
        return write()

    def _save_segment(self, kind: str, content: memoryview) -> None:
        self._segment_bytes += self._with_room(
            partial(segments.save, self.folder, kind, self.segment_count, content)
        )

    def _save_calls(self, table: Any) -> None:
        self._save_segment(segments.CALLS, encoded(table, *GROWING))
        unfinished = unfinished_in(table)
        self.calls += len(table) - unfinished
        self.unfinished += unfinished
        self._save_segment(segments.BINS, encoded(bins_of(table)))

    def _save_losses(self, losses: dict[tuple[int, int], int]) -> None:
        self._save_segment(segments.LOSSES, encoded(losses_table(losses)))
        self.about = attrs.evolve(self.about, lost=self.about.lost + sum(losses.values()))
        manifest.write(self.folder, self.about)

    def _with_trouble(self, trouble: str) -> Manifest:
        return attrs.evolve(self.about, trouble=trouble, segment_count=self.segment_count)

    def _with_ending(self, ending: Ending) -> Manifest:
        about = attrs.evolve(self.about, segment_count=self.segment_count)
        match ending:
            case Ended(exit_code=code, exit_signal=number):
                return attrs.evolve(
                    about, ended_ns=self._ended_ns, exit_code=code, exit_signal=number
                )
            case Failed(message=message):
                return attrs.evolve(about, ended_ns=self._ended_ns, trouble=message)
            case _:  # The service was killed.
                return about

    @property
    def _ended_ns(self) -> int:
        """When the trace ended: now, unless it is an import, whose times are known."""
        return self.about.ended_ns or time.time_ns()
