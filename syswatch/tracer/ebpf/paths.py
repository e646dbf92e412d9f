"""How often each path was opened, and how often that failed."""

import ctypes
from array import array
from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.tracer.collector import cut

from . import layout
from .program import Program

_OPENS = ctypes.sizeof(layout.Opens)


def _no_counts() -> "array[int]":
    return array("Q")


@define
class _Table:
    """A table as it was last read; it nearly always has the same paths."""

    name: str
    size: int
    names: list[str] = attrs.field(factory=list)
    counts: "array[int]" = attrs.field(factory=_no_counts)
    failed: "array[int]" = attrs.field(factory=_no_counts)
    _keys: bytes = b""

    def align(self, keys: bytes, name_of: Callable[[bytes], str]) -> None:
        """Rearrange the known counts in the present order of the paths."""
        if keys == self._keys:
            return
        before, now = self._split(self._keys), self._split(keys)
        places = {key: at for at, key in enumerate(before)}
        self.names = [name_of(key) for key in now]
        self.counts = _moved(self.counts, places, now)
        self.failed = _moved(self.failed, places, now)
        self._keys = keys

    def _split(self, keys: bytes) -> list[bytes]:
        return [keys[at : at + self.size] for at in range(0, len(keys), self.size)]


def _moved(counts: "array[int]", places: Mapping[bytes, int], keys: list[bytes]) -> "array[int]":
    return array("Q", (counts[places[key]] if key in places else 0 for key in keys))


@frozen
class NewOpens:
    """Increments of the calls that opened each path, and of those that failed."""

    counts: dict[str, int] = attrs.field(factory=dict)
    failed: dict[str, int] = attrs.field(factory=dict)


@define
class Paths:
    """Reads the increments of the tables of paths."""

    program: Program
    redact: Callable[[str], str]
    _tables: tuple[_Table, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Create empty tables."""
        self._tables = (
            _Table("short_paths", layout.SHORT_PATH),
            _Table("long_paths", layout.LONG_PATH),
        )

    def read(self) -> NewOpens:
        """Return the increments since the last reading."""
        new = NewOpens()
        for table in self._tables:
            keys, values = self.program.contents(table.name, table.size, _OPENS)
            table.align(keys, self._shown)
            both = array("Q", values)
            failed, counts = both[::2], both[1::2]
            _add_new(new.counts, table.names, table.counts, counts)
            _add_new(new.failed, table.names, table.failed, failed)
            table.counts, table.failed = counts, failed
        return new

    def _shown(self, key: bytes) -> str:
        return cut(self.redact(escape_text(key.partition(b"\0")[0])))


def _add_new(
    new: dict[str, int], names: list[str], before: "array[int]", now: "array[int]"
) -> None:
    if before == now:
        return
    for path, then, count in zip(names, before, now, strict=True):
        if count != then:
            new[path] = new.get(path, 0) + count - then
