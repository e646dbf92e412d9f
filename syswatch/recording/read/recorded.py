"""
What the recorded deltas tell besides the sums of calls.

A call does not tell what its thread did before and after it, how its process is called and ended,
or which text of a path it had: that is taken from the deltas.  A delta belongs to the range of time
in which it was made, which is up to a third of a second after what it reports.
"""

import os
from collections.abc import Iterator, Mapping
from functools import reduce
from io import FileIO
from operator import add
from pathlib import Path
from typing import NamedTuple, TypeVar

import attrs
import msgspec

from syswatch.base.classes import define, frozen
from syswatch.codec.frames import HEADER_BYTES, WireError, header_of
from syswatch.codec.plausible import implausible
from syswatch.codec.recording import DELTAS, MAGIC, RecordingError
from syswatch.codec.untrusted import escape_texts
from syswatch.machine.regular_files import open_regular
from syswatch.model.delta import Delta, Span
from syswatch.model.ledger import CLEAN, Ledger
from syswatch.model.now import NOTHING_REPORTED, Now
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.model.timeline import Timeline
from syswatch.model.times import SECOND_NS

from .files import reason_of
from .tallies import without_sums

# Twelve days of ten deltas a second.
_MOST_DELTAS = 10_000_000
_DAMAGED = (
    *(msgspec.MsgspecError, OverflowError, RecursionError, TypeError, ValueError),
    *(OSError, RecordingError, WireError),
)
# What threads are doing is not in every delta, but at least so often.
_OFTEN_NS = 3 * SECOND_NS
_MOST_OBJECTS = 500_000
_NOTHING = Delta()

T = TypeVar("T")


class _Place(NamedTuple):
    """Where the body of a delta is in the file, and when the delta was made."""

    begin: int
    length: int
    made_ns: int


@frozen
class _ThreadName:
    pid: int = 0
    comm: str = ""
    has_ended: bool = False


@frozen
class _ProcessName:
    parent: int = 0
    comm: str = ""


@frozen
class LastCall:
    """The call that a thread was in at the time of a delta."""

    call: str = ""
    waits: bool = False


@frozen
class _Doing:
    threads: Mapping[int, LastCall] = attrs.field(factory=dict)


@frozen
class _Names:
    """The parts of a delta that name something, and its time."""

    span: Span | None = None
    now: _Doing = attrs.field(factory=_Doing)
    objects: Mapping[int, ObjectInfo] = attrs.field(factory=dict)
    threads: Mapping[int, _ThreadName] = attrs.field(factory=dict)
    processes: Mapping[int, _ProcessName] = attrs.field(factory=dict)


@frozen
class _Facts:
    """The parts of a delta that calls do not tell."""

    processes: Mapping[int, ProcessTally] = attrs.field(factory=dict)
    paths: Mapping[str, int] = attrs.field(factory=dict)
    failed_paths: Mapping[str, int] = attrs.field(factory=dict)
    threads: Mapping[int, ThreadTally] = attrs.field(factory=dict)
    timeline: Timeline = attrs.field(factory=Timeline)
    now: Now = NOTHING_REPORTED
    ledger: Ledger = CLEAN

    def as_delta(self) -> Delta:
        """Return a delta with these parts only."""
        delta = Delta(**{each.name: getattr(self, each.name) for each in attrs.fields(_Facts)})
        if part := implausible(delta):
            raise RecordingError(f"impossible numbers ({part})")
        return escape_texts(delta)


@define
class Known:
    """The names of everything that occurs in the recording."""

    objects: dict[int, ObjectInfo] = attrs.field(factory=dict)
    threads: dict[int, _ThreadName] = attrs.field(factory=dict)
    processes: dict[int, _ProcessName] = attrs.field(factory=dict)
    # When the tracer observed anything.
    span: Span | None = None
    # The call in which each thread was last seen.
    last_calls: dict[int, LastCall] = attrs.field(factory=dict)
    # When the deltas were made that told the end of a thread.
    thread_ends: dict[int, list[int]] = attrs.field(factory=dict)
    # When the deltas were made that told a new name of a process, and the name.
    commands: dict[int, list[tuple[int, str]]] = attrs.field(factory=dict)

    def add(self, names: _Names) -> None:
        """Add what a delta names."""
        self.last_calls.update(names.now.threads)
        if names.span is not None:
            self.span = names.span if self.span is None else self.span + names.span
        for number, info in names.objects.items():
            former = self.objects.get(number)
            if former is not None:
                self.objects[number] = former + info
            elif len(self.objects) < _MOST_OBJECTS:
                self.objects[number] = info
        for tid, thread in names.threads.items():
            if thread.comm or tid not in self.threads:
                self.threads[tid] = thread
            if thread.has_ended and names.span is not None:
                self.thread_ends.setdefault(tid, []).append(names.span.last_ns)
        for pid, process in names.processes.items():
            former_process = self.processes.get(pid, _ProcessName())
            if process.comm not in {"", former_process.comm} and names.span is not None:
                self.commands.setdefault(pid, []).append((names.span.last_ns, process.comm))
            self.processes[pid] = _ProcessName(
                process.parent or former_process.parent, process.comm or former_process.comm
            )


@define
class RecordedDeltas:
    """The deltas of a recording, to which more may be appended."""

    folder: Path
    # What is wrong with the files of the recording, as clauses by their names.
    damaged: dict[str, str] = attrs.field(factory=dict)
    known: Known = attrs.field(factory=Known, init=False)
    _places: list[_Place] = attrs.field(factory=list, init=False)
    _scanned: int = attrs.field(default=len(MAGIC), init=False)
    # Kept open: a flight recorder replaces the file, and then places in it mean something else.
    _file: FileIO | None = attrs.field(default=None, init=False)

    def facts(self, first_ns: int, last_ns: int) -> Delta:
        """Return what the deltas tell that were made in a range of time."""
        total = _NOTHING
        for facts in self._within(first_ns, last_ns):
            total += attrs.evolve(
                facts,
                processes={pid: without_sums(tally) for pid, tally in facts.processes.items()},
                threads={
                    tid: ThreadTally(tally.pid, tally.comm, has_ended=tally.has_ended)
                    for tid, tally in facts.threads.items()
                },
                timeline=Timeline(),
                ledger=attrs.evolve(
                    facts.ledger, untimed_calls=0, estimated_waits=0, sampled_entries=0
                ),
            )
        return total

    def timelines(self, first_ns: int, last_ns: int) -> Iterator[Timeline]:
        """Yield the history in the deltas that were made in a range of time."""
        return (facts.timeline for facts in self._within(first_ns, last_ns))

    def last_ns(self) -> int:
        """Return when the last delta was made; 0 if there is none."""
        return max((place.made_ns for place in self._places), default=0)

    def now_at(self, at_ns: int) -> Now:
        """Return what each thread was doing at a time, or shortly before."""
        known = self._within(at_ns - _OFTEN_NS, at_ns + 1)
        return reduce(add, (each.now for each in known), NOTHING_REPORTED)

    def scan(self) -> None:
        """Find the deltas that were appended since the last time, and note all names."""
        try:
            self._scan(self._opened().fileno())
        except FileNotFoundError:
            # There is none yet, or the recording was made of a log.
            return
        except _DAMAGED as error:
            self.damaged[DELTAS] = reason_of(error)

    def _opened(self) -> FileIO:
        """Return the file, opened again if it has been replaced."""
        path = self.folder / DELTAS
        if self._file is not None and os.path.samestat(path.lstat(), os.fstat(self._file.fileno())):
            return self._file
        self.close()
        self._file = open_regular(path)
        self._scanned, self._places, self.known = len(MAGIC), [], Known()
        return self._file

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _scan(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        while self._scanned + HEADER_BYTES <= size and len(self._places) < _MOST_DELTAS:
            kind, length = header_of(os.pread(fd, HEADER_BYTES, self._scanned))
            begin = self._scanned + HEADER_BYTES
            if begin + length > size:
                return
            self._scanned = begin + length
            if kind is Delta:
                names = _decoded(fd, begin, length, _Names)
                self.known.add(escape_texts(names))
                made_ns = names.span.last_ns if names.span else 0
                self._places.append(_Place(begin, length, made_ns))

    def _within(self, first_ns: int, last_ns: int) -> Iterator[Delta]:
        """Yield the deltas that were made in a range; the clock may have been set back."""
        chosen = [place for place in self._places if first_ns <= place.made_ns < last_ns]
        if self._file is None:
            return
        try:
            for begin, length, _ in chosen:
                yield _decoded(self._file.fileno(), begin, length, _Facts).as_delta()
        except _DAMAGED as error:
            self.damaged[DELTAS] = reason_of(error)


def _decoded(fd: int, begin: int, length: int, kind: type[T]) -> T:
    return msgspec.msgpack.decode(os.pread(fd, length, begin), type=kind)
