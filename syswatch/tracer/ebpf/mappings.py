"""What is mapped at an address of a process, from /proc/PID/maps."""

import re
import time
from bisect import bisect_right
from pathlib import Path

import attrs

from syswatch.base.classes import define, frozen

_LINE = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)$", re.MULTILINE)
# How long mappings that were read are taken to be the same, and of how many processes.
_KEPT_S = 0.25
_KEPT = 100


@frozen
class _Maps:
    """The mappings of one process."""

    read_at: float
    begins: list[int]
    ends: list[int]
    names: list[bytes]

    def name(self, address: int) -> bytes | None:
        place = bisect_right(self.begins, address) - 1
        return self.names[place] if place >= 0 and address < self.ends[place] else None


@define
class Mappings:
    """Finds what is mapped where; a process is read again if that was long ago."""

    _maps: dict[int, _Maps] = attrs.field(factory=dict, init=False)

    def find(self, pid: int, address: int) -> bytes:
        """Return the file or the name of a mapping; empty for anonymous and unknown memory."""
        maps = self._maps.get(pid)
        if maps is None or time.monotonic() - maps.read_at > _KEPT_S:
            if len(self._maps) >= _KEPT:
                self._maps.clear()
            maps = self._maps[pid] = _read(pid)
        return maps.name(address) or b""


def _read(pid: int) -> _Maps:
    try:
        data = Path(f"/proc/{pid}/maps").read_bytes()
    except OSError:
        data = b""
    rows = [match.groups() for match in _LINE.finditer(data)]
    begins, ends = ([int(row[place], 16) for row in rows] for place in (0, 1))
    return _Maps(time.monotonic(), begins, ends, [row[2] for row in rows])
