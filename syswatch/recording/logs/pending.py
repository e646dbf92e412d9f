"""The calls of logs that have arrived, until they are a segment, and what is known of the logs."""

from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.codec.log_calls import LogCalls
from syswatch.recording.extent import Extent
from syswatch.recording.extra import load
from syswatch.recording.manifest import Manifest

from .tables import LogTables

# A segment has about so many calls, fewer if their arguments are long.
_MOST_CALLS = 100_000
_MOST_BYTES = 64 << 20


@define
class PendingLogCalls:
    """Collects calls of logs."""

    _tables: LogTables = attrs.field(factory=LogTables, init=False)
    _pieces: list[LogCalls] = attrs.field(factory=list, init=False)
    _count: int = attrs.field(default=0, init=False)
    _size: int = attrs.field(default=0, init=False)
    # The names of the files, in their order.
    _files: dict[str, None] = attrs.field(factory=dict, init=False)
    # The bounds of all calls.
    _begun_ns: int | None = attrs.field(default=None, init=False)
    _ended_ns: int = attrs.field(default=0, init=False)

    def add(self, calls: LogCalls) -> None:
        """Add the calls of the next lines."""
        self._pieces.append(calls)
        self._count += calls.count
        self._size += calls.size
        self._files[calls.file] = None

    @property
    def is_full(self) -> bool:
        """Return whether there is enough for a segment."""
        return self._count >= _MOST_CALLS or self._size >= _MOST_BYTES

    def take_table(self) -> Any | None:
        """Return the table of what was added since the last time, or None if nothing was."""
        pieces, self._pieces, self._count, self._size = self._pieces, [], 0, 0
        if not pieces:
            return None
        table = self._tables.table_of(pieces)
        extent = Extent.from_metadata(table.schema.metadata)
        if extent is not None:
            begun_ns = extent.begun_ns
            self._begun_ns = min(begun_ns, begun_ns if self._begun_ns is None else self._begun_ns)
            # That of a call that has not returned may be the last time that is known.
            last_start = load("pyarrow.compute").max(table["start"].cast("int64")).as_py()
            self._ended_ns = max(self._ended_ns, last_start, extent.last_end_ns)
        return table

    def described(self, about: Manifest) -> Manifest:
        """Return what a manifest says about these logs, which may be from another machine."""
        if self._begun_ns is None:
            return about
        return attrs.evolve(
            about,
            begun_ns=self._begun_ns,
            ended_ns=self._ended_ns,
            host="",
            kernel="",
            logs=tuple(self._files),
        )
