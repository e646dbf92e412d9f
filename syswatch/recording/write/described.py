"""
The small tables of a recording: what is known of processes and objects.

They are replaced as a whole.  How often depends on how long that takes, so that a trace of very
many files does not keep the recorder busy with their names: what a table lacks after a crash is in
the deltas.
"""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from syswatch.base.classes import define, frozen
from syswatch.codec.event_frames import Life
from syswatch.codec.frames import body_of
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import describe_ending
from syswatch.recording import durable
from syswatch.recording.columns import OBJECTS, PROCESSES, Column
from syswatch.recording.extra import load

from .parquet import encoded

PROCESSES_FILE = "processes.parquet"
OBJECTS_FILE = "objects.parquet"
# Of the time since a table was written, what writing it took.
_LARGEST_SHARE = 0.05
# Further objects and processes are not described.
_MOST_ROWS = 500_000

Key = Hashable


@frozen
class _Described:
    """The part of a delta that describes objects."""

    objects: Mapping[int, ObjectInfo] = attrs.field(factory=dict)


@define
class DescribedTable:
    """A table with a row for each key, to which more becomes known."""

    name: str
    columns: Sequence[Column]
    rows_of: Callable[[Mapping[Any, Any]], list[tuple[Any, ...]]]
    written_bytes: int = attrs.field(default=0, init=False)
    _known: dict[Any, Any] = attrs.field(factory=dict, init=False)
    _is_changed: bool = attrs.field(default=False, init=False)
    _next_s: float = attrs.field(default=0.0, init=False)
    # When each key was added last, the latest at the end, as a number that its owner counts up.
    now: int = attrs.field(default=0, init=False)
    _added: dict[Any, int] = attrs.field(factory=dict, init=False)

    def add(self, key: Key, what: Any, merge: Callable[[Any, Any], Any]) -> None:
        """Add what is known of a key."""
        former = self._known.get(key)
        if former is None and len(self._known) >= _MOST_ROWS:
            return
        self._added.pop(key, None)
        self._added[key] = self.now
        merged = what if former is None else merge(former, what)
        if merged != former:
            self._known[key] = merged
            self._is_changed = True

    def forget(
        self, before: int, most: int, is_needed: Callable[[Any], bool] = lambda _: False
    ) -> None:
        """Forget what was added last before a time, if there are more rows than so many."""
        surplus = len(self._added) - most
        for key, added in list(self._added.items()):
            if surplus <= 0 or added >= before:
                return
            if not is_needed(self._known[key]):
                del self._added[key], self._known[key]
                self._is_changed = True
                surplus -= 1

    def write_in_time(self, folder: Path) -> None:
        """Write the table if it has changed, unless that was done a moment ago."""
        if self._is_changed and time.monotonic() >= self._next_s:
            self.write(folder)

    def write(self, folder: Path) -> None:
        """Write the table."""
        begun_s = time.monotonic()
        self.written_bytes = self.copy(folder)
        self._is_changed = False
        ended_s = time.monotonic()
        self._next_s = ended_s + (ended_s - begun_s) / _LARGEST_SHARE

    def copy(self, folder: Path) -> int:
        """Write the table to another directory, and return its size."""
        table = _table(self.columns, self.rows_of(self._known))
        return durable.replace(folder / self.name, encoded(table))


def processes_table() -> DescribedTable:
    """Return the table of processes, which is empty."""
    return DescribedTable(PROCESSES_FILE, PROCESSES, _process_rows)


def objects_table() -> DescribedTable:
    """Return the table of objects, which is empty."""
    return DescribedTable(OBJECTS_FILE, OBJECTS, _object_rows)


def add_life(table: DescribedTable, life: Life) -> None:
    """Add what is known of a process; PIDs are reused, so the start belongs to the key."""
    table.add((life.pid, life.start_ns), life, _later)


def add_objects(table: DescribedTable, frame: bytes) -> None:
    """Add the objects that the frame of a delta describes."""
    described = msgspec.msgpack.decode(body_of(frame), type=_Described)
    for key, info in described.objects.items():
        table.add(key, info, ObjectInfo.__add__)


def _later(former: Life, later: Life) -> Life:
    """Return what two reports say about a process; the later one wins."""
    return Life(
        former.pid,
        former.start_ns,
        later.parent or former.parent,
        later.command or former.command,
        later.command_line or former.command_line,
        former.end_ns if later.end_ns is None else later.end_ns,
        former.exit_code if later.exit_code is None else later.exit_code,
        former.exit_signal if later.exit_signal is None else later.exit_signal,
    )


def _process_rows(lives: Mapping[Any, Life]) -> list[tuple[Any, ...]]:
    return [
        (
            life.pid,
            life.parent or None,
            life.command,
            life.command_line,
            life.start_ns,
            life.end_ns,
            _ending(life),
        )
        for life in lives.values()
    ]


def _ending(life: Life) -> str:
    if life.exit_signal:
        return describe_ending(-life.exit_signal)
    return "" if life.exit_code is None else describe_ending(life.exit_code)


def _object_rows(objects: Mapping[int, ObjectInfo]) -> list[tuple[Any, ...]]:
    return [
        (key, info.kind.value, info.name, info.service, info.host, info.detail)
        for key, info in objects.items()
    ]


def _table(columns: Sequence[Column], rows: list[tuple[Any, ...]]) -> Any:
    arrow = load("pyarrow")
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    return arrow.table(
        {
            column.name: arrow.array(each, arrow_type(column))
            for column, each in zip(columns, values, strict=True)
        }
    )


def arrow_type(column: Column) -> Any:
    """Return the type of a column of these tables."""
    arrow = load("pyarrow")
    if column.type.startswith("timestamp["):
        unit = column.type.removeprefix("timestamp[").partition(",")[0]
        return arrow.timestamp(unit, tz="UTC")
    return arrow.type_for_alias(column.type)
