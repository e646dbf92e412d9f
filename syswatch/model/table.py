"""Tables of bounded size whose columns still add up."""

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

import attrs

from .merging import merge

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
# After a table has grown too large, it is cut to this share, so that cutting is rare.
_KEPT = 0.75


@attrs.frozen
class Table(Generic[K, V]):
    """
    How the rows of a table are added, and what becomes of those beyond the limit.

    Such a row is added to one with a coarser key, the cheapest rows first; so every column has the
    same sum as without a limit.  `coarser` returns a key itself if there is none that is coarser.
    """

    limit: int
    add: Callable[[V, V], V]
    coarser: Callable[[K], K]
    weight: Callable[[V], int]

    def sum(self, left: Mapping[K, V], right: Mapping[K, V]) -> Mapping[K, V]:
        """Add two tables row by row."""
        rows = merge(left, right, self.add)
        return rows if len(rows) <= self.limit else self.cut(rows)

    def cut(self, rows: Mapping[K, V]) -> Mapping[K, V]:
        """Add the cheapest rows to coarser ones until few enough are left."""
        most = int(self.limit * _KEPT)
        kept = dict(rows)
        while len(kept) > most and self._coarsen(kept, len(kept) - most):
            pass
        return kept

    def _coarsen(self, rows: dict[K, V], excess: int) -> int:
        """Add rows, at least so many if possible, to coarser ones; return how many were moved."""
        moved = 0
        for key in sorted(rows, key=lambda key: self.weight(rows[key])):
            coarser = self.coarser(key)
            if coarser == key:
                continue
            value = rows.pop(key)
            rows[coarser] = self.add(rows[coarser], value) if coarser in rows else value
            moved += 1
            if moved >= excess:
                break
        return moved
