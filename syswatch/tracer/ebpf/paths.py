"""How often each path was opened."""

import ctypes
from collections.abc import Callable, Mapping

import attrs

from syswatch.tracer.collector import cut
from syswatch.tracer.text import printable

from . import layout
from .program import Program

_COUNT = ctypes.sizeof(ctypes.c_uint64)


@attrs.define
class Paths:
    """Compares the tables of paths with what they held before."""

    program: Program
    redact: Callable[[str], str]
    _known: dict[bytes, bytes] = attrs.field(factory=dict, init=False)

    def read(self) -> Mapping[str, int]:
        """Return what is new."""
        new: dict[str, int] = {}
        for name, size in (("short_paths", layout.SHORT_PATH), ("long_paths", layout.LONG_PATH)):
            for key, count in self.program.entries(name, size, _COUNT):
                before = self._known.get(key)
                if count != before:
                    self._known[key] = count
                    path = cut(self.redact(printable(key.partition(b"\0")[0])))
                    new[path] = new.get(path, 0) + _number(count) - _number(before or b"")
        return new


def _number(count: bytes) -> int:
    return int.from_bytes(count, "little")
