"""
The calls of a traced process as they arrive, and the blocks that they belong to.

A call belongs to a block if it has returned after the mark of its beginning and before the mark of
its end.  The rings of several CPUs are read one after the other, so calls arrive in any order
within a tenth of a second; the times decide, and calls are kept until it is certain that all marks
up to then have arrived.
"""

import struct
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable

import attrs

from syswatch.base.classes import define
from syswatch.codec.events import ARCHITECTURES, EVENT, FIELDS, Flag
from syswatch.model.times import SECOND_NS

from .marks import MAGIC, NUMBERS, Edge

_PLACES = {name: place for place, (name, _) in enumerate(FIELDS)}
_START, _DURATION, _FLAGS = _PLACES["start_ns"], _PLACES["duration_ns"], _PLACES["flags"]
_NUMBER, _ARCHITECTURE = _PLACES["number"], _PLACES["architecture"]
_MAGIC, _TOKEN, _EDGE = (_PLACES[f"argument{place}"] for place in range(3))
_MAGIC_BYTES = struct.pack("<Q", MAGIC)
_MARK_CODES = {(number, ARCHITECTURES.index(name)) for name, number in NUMBERS.items()}
_TID = _PLACES["tid"]
_UNFINISHED, _MOVED = int(Flag.UNFINISHED), int(Flag.MOVED)
# So many events are kept as they are; more are added up as soon as they are old enough.
_MOST_KEPT_BYTES = 32 << 20
_SETTLED_NS = SECOND_NS

Event = tuple[int, ...]
# Counts a call, and the bytes that it has moved to a second object, which are events of their own.
Count = Callable[[Event, Iterable[Event]], None]


@define(eq=False)
class Block:
    """A block that is open, or whose end is looked for."""

    token: int
    count: Count
    # By the clock of the tracer; None until the marks have arrived.
    begin_ns: int | None = None
    end_ns: int | None = None

    def holds(self, at_ns: int) -> bool:
        """Return whether a call that returned then belongs to the block."""
        if self.begin_ns is None or at_ns < self.begin_ns:
            return False
        return self.end_ns is None or at_ns <= self.end_ns


@define
class Stream:
    """Finds the marks among the calls, and counts the calls of each block."""

    _blocks: dict[int, Block] = attrs.field(factory=dict, init=False)
    _kept: list[bytes] = attrs.field(factory=list, init=False)
    _kept_bytes: int = attrs.field(default=0, init=False)
    # From so many on, those that are old enough are looked for.
    _most_bytes: int = attrs.field(default=_MOST_KEPT_BYTES, init=False)
    # Bytes that calls have moved to second objects, by thread and start of the call.
    _moved: dict[tuple[int, int], list[Event]] = attrs.field(factory=dict, init=False)

    # When each thread began and ended to make calls that are not those of the program.
    _pauses: dict[int, list[tuple[int, bool]]] = attrs.field(factory=dict, init=False)

    def begin(self, token: int, count: Count) -> None:
        """Count the calls of a block from its mark on."""
        self._blocks[token] = Block(token, count)

    def end(self, token: int) -> bool:
        """Count what is left of a block; return whether both its marks have arrived."""
        self._settle(None)
        block = self._blocks.pop(token)
        if not self._blocks:
            self._moved.clear()
            self._pauses.clear()
        return block.begin_ns is not None and block.end_ns is not None

    def receive(self, events: bytes) -> None:
        """Keep events while there is a block, and look for marks."""
        if not self._blocks:
            return
        if _MAGIC_BYTES in events:
            self._find_marks(events)
        self._kept.append(events)
        self._kept_bytes += len(events)
        if self._kept_bytes > self._most_bytes:
            last_ns = max(_end_of(event) for event in EVENT.iter_unpack(events))
            self._settle(last_ns - _SETTLED_NS)
            # What is too new is unpacked again, so not before there is as much besides.
            self._most_bytes = max(_MOST_KEPT_BYTES, 2 * self._kept_bytes)

    def _is_own(self, event: Event) -> bool:
        """Return whether a call is a mark, or was made by this package between two marks."""
        points = self._pauses.get(event[_TID])
        if points:
            place = bisect_left(points, (event[_START], False))
            if place and points[place - 1][1]:
                return True
        return is_mark(event)

    def _find_marks(self, events: bytes) -> None:
        for event in EVENT.iter_unpack(events):
            if event[_MAGIC] != MAGIC or not is_mark(event):
                continue
            block = self._blocks.get(event[_TOKEN])
            match event[_EDGE]:
                case Edge.BEGIN if block is not None:
                    block.begin_ns = event[_START] + event[_DURATION]
                case Edge.END if block is not None:
                    block.end_ns = event[_START]
                case Edge.PAUSE | Edge.RESUME as edge:
                    points = self._pauses.setdefault(event[_TID], [])
                    insort(points, (event[_START], edge == Edge.PAUSE))

    def _settle(self, until_ns: int | None) -> None:
        """Count the calls that returned before a time, or all; the others are kept."""
        kept, self._kept, self._kept_bytes = self._kept, [], 0
        for events in kept:
            later = bytearray()
            for event in EVENT.iter_unpack(events):
                if until_ns is not None and _end_of(event) >= until_ns:
                    later += EVENT.pack(*event)
                else:
                    self._count(event)
            if later:
                self._kept.append(bytes(later))
                self._kept_bytes += len(later)

    def _count(self, event: Event) -> None:
        flags = event[_FLAGS]
        if flags & _MOVED:
            self._moved.setdefault(_key(event), []).append(event)
            return
        if flags & _UNFINISHED:
            return
        moved = self._moved.pop(_key(event), ()) if self._moved else ()
        if self._is_own(event):
            return
        at_ns = event[_START] + event[_DURATION]
        for block in self._blocks.values():
            if block.holds(at_ns):
                block.count(event, moved)


def is_mark(event: Event) -> bool:
    """Return whether an event is a mark, of this block or another."""
    return event[_MAGIC] == MAGIC and (event[_NUMBER], event[_ARCHITECTURE]) in _MARK_CODES


def _key(event: Event) -> tuple[int, int]:
    return event[_TID], event[_START]


def _end_of(event: Event) -> int:
    """Return when a call returned; parts of calls, and those that have not, are kept longest."""
    if event[_FLAGS] & (_UNFINISHED | _MOVED):
        return event[_START]
    return event[_START] + event[_DURATION]
