"""
Lets the program reuse the objects and rows that have not been used for long.

Without that, a trace of days would have names for the first 10 000 objects only.  Nothing is lost:
what was counted has been sent, under IDs that depend on the names alone.

An object or row leaves in two steps, with at least a second between them.  First its key is
deleted, so that new calls make another one of the same name.  Then, if no call that was in progress
still refers to it, its number is free.
"""

import ctypes
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define

from . import activity_layout as activity
from . import object_layout as layout
from .activity import Rows
from .objects import Objects
from .program import Program
from .thread_records import ThreadRecord
from .wait_counts import WaitCounts

# From this share of the table on, so much is freed that the other share is in use.
_CROWDED = 0.6
_KEPT = 0.4
# The program itself adds to this number now and then, and either addition may be lost.  So this is
# more than it could add meanwhile: every value is new.
_STEP = 1 << 32
_MOST_OBJECTS = layout.OBJECTS - layout.FIRST_OBJECT
_MOST_ROWS = activity.MOST_ACTIVITIES
_WATCH_BYTES = ctypes.sizeof(layout.Watch)


@define
class Reuse:
    """Frees what was used least recently."""

    program: Program
    rows: Rows
    objects: Objects
    waits: WaitCounts
    # When a row was used last, in steps.
    _used: dict[int, int] = attrs.field(factory=dict, init=False)
    _now: int = attrs.field(default=0, init=False)
    _leaving_rows: frozenset[int] = attrs.field(default=frozenset(), init=False)
    _leaving_objects: frozenset[int] = attrs.field(default=frozenset(), init=False)

    def note(self, row: int) -> None:
        """Note that a row has grown."""
        self._used[row] = self._now

    def forget(self, rows: Iterable[int]) -> None:
        """Forget rows that have been freed because their threads have ended."""
        for row in rows:
            self._used.pop(row, None)
        self._leaving_rows = self._leaving_rows.difference(rows)

    def step(self, threads: Iterable[ThreadRecord]) -> frozenset[int]:
        """Free what left in the step before, let more leave if necessary; return the free rows."""
        in_progress = {thread.object for thread in threads}
        freed = self._leaving_rows
        self._free(in_progress)
        # Of the calls in progress of threads without a record, the objects are not known.
        if not self.program.totals.crowded_threads:
            self._leave(in_progress)
        self._now += 1
        return freed

    def _free(self, in_progress: AbstractSet[int]) -> None:
        if not self._leaving_rows and not self._leaving_objects:
            return
        self._renew()
        for row in self._leaving_rows:
            self._used.pop(row, None)
            self.rows.release(row)
        objects = self._leaving_objects - in_progress - self.rows.objects_in_use() - self._watched()
        self.waits.forget(set(objects))
        self.objects.release(objects)
        self._leaving_rows = self._leaving_objects = frozenset()

    def _leave(self, in_progress: AbstractSet[int]) -> None:
        alive = self.objects.alive()
        if (
            len(alive) < _CROWDED * _MOST_OBJECTS
            and self.rows.number_in_use() < _CROWDED * _MOST_ROWS
        ):
            return
        owned = self.rows.owned()
        used = dict.fromkeys(alive, 0)
        for row, number in owned.items():
            used[number] = max(used.get(number, 0), self._used.get(row, 0))
        kept = in_progress | self._watched()
        oldest = sorted((number for number in alive if number not in kept), key=used.__getitem__)
        objects = _first(oldest, used, len(alive), _MOST_OBJECTS, self._now)
        rows = {row for row, number in owned.items() if number in objects}
        if len(owned) - len(rows) >= _CROWDED * _MOST_ROWS:
            old_rows = sorted(owned.keys() - rows, key=lambda row: self._used.get(row, 0))
            rows |= _first(old_rows, self._used, len(owned) - len(rows), _MOST_ROWS, self._now)
        for row in rows:
            self.rows.retire(row)
        self.objects.retire(objects)
        self._leaving_rows, self._leaving_objects = frozenset(rows), objects
        self._renew()

    def _renew(self) -> None:
        """Let each thread look up its rows again."""
        self.program.totals.generation += _STEP

    def _watched(self) -> AbstractSet[int]:
        """Return the objects that the program remembers for epolls."""
        _, values = self.program.contents("watches", ctypes.sizeof(layout.WatchKey), _WATCH_BYTES)
        return {
            layout.Watch.from_buffer_copy(values, at).object
            for at in range(0, len(values), _WATCH_BYTES)
        }


def _first(
    oldest: list[int], used: dict[int, int], count: int, most: int, now: int
) -> frozenset[int]:
    """Return those that were used least recently, but not since the step before."""
    if count < _CROWDED * most:
        return frozenset()
    excess = count - int(_KEPT * most)
    return frozenset(number for number in oldest[:excess] if used.get(number, 0) < now)
