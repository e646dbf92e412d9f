"""Numbers for the threads and the names of calls, in the order in which they were found."""

from collections.abc import Iterable
from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import Category
from syswatch.model.catalog.entries import lookup
from syswatch.recording.extra import load

_PLACES = {category: place for place, category in enumerate(Category)}
_TID_BITS = 32


@define
class Numbering:
    """The numbers, which stay the same while a recording grows."""

    lanes: list[tuple[int, int]] = attrs.field(factory=list, init=False)
    names: list[str] = attrs.field(factory=list, init=False)
    # The place of the category of each name, in the order of all views.
    categories: list[int] = attrs.field(factory=list, init=False)
    _lanes: dict[int, int] = attrs.field(factory=dict, init=False)
    _names: dict[str, int] = attrs.field(factory=dict, init=False)

    def lanes_of(self, pids: Any, tids: Any) -> Any:
        """Return the numbers of threads."""
        numpy = load("numpy")
        keys = pids.astype("i8") << _TID_BITS | tids
        known, places = numpy.unique(keys, return_inverse=True)
        return numpy.array([self._lane_of(int(key)) for key in known], "i8")[places]

    def lane_of(self, pid: int, tid: int) -> int:
        """Return the number of a thread."""
        return self._lane_of(pid << _TID_BITS | tid)

    def threads(self) -> dict[int, int]:
        """Return the lanes by thread IDs; of several with the same ID, the last one."""
        return {tid: lane for lane, (_, tid) in enumerate(self.lanes)}

    def names_of(self, names: Iterable[str | None]) -> list[int]:
        """Return the numbers of names."""
        return [self._name_of(name or "unknown") for name in names]

    def _lane_of(self, key: int) -> int:
        number = self._lanes.setdefault(key, len(self.lanes))
        if number == len(self.lanes):
            self.lanes.append((key >> _TID_BITS, key & ((1 << _TID_BITS) - 1)))
        return number

    def _name_of(self, name: str) -> int:
        number = self._names.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
            entry = lookup(name)
            self.categories.append(_PLACES[entry.category if entry else Category.OTHER])
        return number
