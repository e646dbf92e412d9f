"""How often each path was opened."""

import ctypes
from array import array
from collections.abc import Callable, Mapping

import attrs

from syswatch.text import inert
from syswatch.tracer.collector import cut

from . import layout
from .program import Program

_COUNT = ctypes.sizeof(ctypes.c_uint64)


def _no_counts() -> "array[int]":
    return array("Q")


@attrs.define
class _Table:
    """One table, as it was when it was last read: nearly always with the same paths."""

    name: str
    size: int
    names: list[str] = attrs.field(factory=list)
    counts: "array[int]" = attrs.field(factory=_no_counts)
    _keys: bytes = b""

    def align(self, keys: bytes, name_of: Callable[[bytes], str]) -> None:
        """Bring what was known into the order in which the paths come now."""
        if keys == self._keys:
            return
        known = dict(zip(self._split(self._keys), self.counts, strict=True))
        self.names = [name_of(key) for key in self._split(keys)]
        self.counts = array("Q", (known.get(key, 0) for key in self._split(keys)))
        self._keys = keys

    def _split(self, keys: bytes) -> list[bytes]:
        return [keys[at : at + self.size] for at in range(0, len(keys), self.size)]


@attrs.define
class Paths:
    """Compares the tables of paths with what they held before."""

    program: Program
    redact: Callable[[str], str]
    _tables: tuple[_Table, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin with nothing."""
        self._tables = (
            _Table("short_paths", layout.SHORT_PATH),
            _Table("long_paths", layout.LONG_PATH),
        )

    def read(self) -> Mapping[str, int]:
        """Return what is new."""
        new: dict[str, int] = {}
        for table in self._tables:
            keys, values = self.program.contents(table.name, table.size, _COUNT)
            table.align(keys, self._shown)
            counts = array("Q", values)
            for path, before, now in zip(table.names, table.counts, counts, strict=True):
                if now != before:
                    new[path] = new.get(path, 0) + now - before
            table.counts = counts
        return new

    def _shown(self, key: bytes) -> str:
        return cut(self.redact(inert(key.partition(b"\0")[0])))
