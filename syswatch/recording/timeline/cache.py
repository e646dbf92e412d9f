"""The segments that were read last: moving and zooming ask for the same ones again."""

from collections import OrderedDict
from collections.abc import Callable

import attrs

from syswatch.base.classes import define

from .rows import Rows
from .segment import SegmentReader

# Of 12 columns, 96 bytes each.
_MOST_ROWS = 1_000_000


@define
class SegmentCache:
    """Rows of segments; the total is bounded."""

    reader: SegmentReader
    most_rows: int = _MOST_ROWS
    _kept: OrderedDict[tuple[str, int], Rows] = attrs.field(factory=OrderedDict, init=False)
    _size: int = attrs.field(default=0, init=False)

    def calls(self, number: int) -> Rows:
        """Return the calls of a segment."""
        return self._get(("calls", number), self.reader.calls)

    def bins(self, number: int) -> Rows:
        """Return the sums of a segment."""
        return self._get(("bins", number), self.reader.bins)

    def _get(self, key: tuple[str, int], read: Callable[[int], Rows]) -> Rows:
        rows = self._kept.pop(key, None)
        if rows is None:
            rows = read(key[1])
            self._size += len(rows)
        self._kept[key] = rows
        while self._size > self.most_rows and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
        return rows
