"""Futexes: what is mapped at their addresses."""

import time
from bisect import bisect_right
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.known import KnownObjects

_PRIVATE = 128
_MOST_ADDRESSES = 10_000
# Reading all mappings of a process takes about a millisecond.
_PAUSE_NS = 1_000_000_000
_FIELDS = 6


@define
class _Mappings:
    """The beginnings of the mappings of a process, with their ends and names."""

    read_ns: int
    begins: list[int] = attrs.field(factory=list)
    others: list[tuple[int, bytes]] = attrs.field(factory=list)

    def name_at(self, address: int) -> bytes | None:
        """Return what is mapped at an address, empty for anonymous memory; None for nothing."""
        place = bisect_right(self.begins, address) - 1
        if place < 0 or address >= self.others[place][0]:
            return None
        return self.others[place][1]


@define
class Futexes:
    """The objects of futexes by process and address."""

    known: KnownObjects
    _found: dict[tuple[int, int], int] = attrs.field(factory=dict, init=False)
    _mappings: dict[int, _Mappings] = attrs.field(factory=dict, init=False)

    def find(self, owner: Owner, address: int, operation: int) -> int:
        """Return the object of a futex."""
        key = owner.pid, address
        number = self._found.get(key)
        if number is None:
            if len(self._found) >= _MOST_ADDRESSES:
                self._found.clear()
            place = self._name_at(owner.pid, address)
            info = describe.futex(address, place, owner if operation & _PRIVATE else None)
            number = self._found[key] = self.known.add(info)
        return number

    def forget_objects(self, numbers: AbstractSet[int]) -> None:
        """Forget objects."""
        self._found = {key: each for key, each in self._found.items() if each not in numbers}

    def forget(self, pid: int) -> None:
        """Forget a process that has ended or replaced its memory."""
        self._mappings.pop(pid, None)
        for key in [key for key in self._found if key[0] == pid]:
            del self._found[key]

    def _name_at(self, pid: int, address: int) -> bytes:
        mappings = self._mappings.get(pid)
        name = mappings.name_at(address) if mappings is not None else None
        now_ns = time.monotonic_ns()
        if name is None and (mappings is None or now_ns - mappings.read_ns > _PAUSE_NS):
            self._mappings[pid] = mappings = _read(pid, now_ns)
            name = mappings.name_at(address)
        return name or b""


def _read(pid: int, now_ns: int) -> _Mappings:
    mappings = _Mappings(now_ns)
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:  # noqa: PTH123  while a thread is stopped
            lines = file.readlines()
    except OSError:
        return mappings
    for line in lines:
        fields = line.rstrip(b"\n").split(None, _FIELDS - 1)
        begin, _, end = fields[0].partition(b"-")
        mappings.begins.append(int(begin, 16))
        mappings.others.append((int(end, 16), fields[5] if len(fields) == _FIELDS else b""))
    return mappings
