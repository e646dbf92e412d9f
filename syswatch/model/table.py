"""Tables of bounded size whose columns still add up."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from syswatch.base.classes import frozen

from .merging import merge

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
# After a table has grown too large, it is cut to this share, so that cutting is rare.
_KEPT = 0.75


@frozen
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
    # Leaves of a row only what holds for all rows that it may be added to.
    blurred: Callable[[V], V] = lambda value: value
    # What the keys share of rows that may be added to each other in the end; by default, all may.
    shared: Callable[[K], Hashable] = lambda _: None

    def sum(self, left: Mapping[K, V], right: Mapping[K, V]) -> Mapping[K, V]:
        """Add two tables row by row."""
        rows = merge(left, right, self.add)
        return rows if len(rows) <= self.limit else self.cut(rows)

    def cut(self, rows: Mapping[K, V]) -> Mapping[K, V]:
        """Add the cheapest rows to coarser ones until few enough are left."""
        most = int(self.limit * _KEPT)
        kept = dict(rows)
        while len(kept) > most and self._coarsen(kept, most):
            pass
        return kept

    def _coarsen(self, rows: dict[K, V], most: int) -> bool:
        """Add the cheapest rows to coarser ones, ranked once; return whether any was added."""
        keys = list(rows)
        shared = list(map(self.shared, keys))
        # A row that would stay alone would lose its key in vain.
        together = Counter(shared)
        weights = list(map(self.weight, rows.values()))
        # Sorting places takes less than half the time of sorting pairs of weights and keys.
        places = (place for place, each in enumerate(shared) if together[each] > 1)
        ranked = sorted(places, key=weights.__getitem__)
        grown: set[K] = set()
        begin = 0
        while begin < len(ranked) and len(rows) > most:
            end = begin + len(rows) - most
            moved, begin = [keys[place] for place in ranked[begin:end]], end
            # A row that only got another key is as cheap as before, so it is moved again.
            while moved and len(rows) > most:
                moved = self._move(rows, moved[: len(rows) - most], grown)
        return bool(grown)

    def _move(self, rows: dict[K, V], keys: Iterable[K], grown: set[K]) -> list[K]:
        """Move rows to coarser keys; return the keys of those that were not added to others."""
        coarser_of, add = self.coarser, self.add
        alone = []
        for key in keys:
            coarser = coarser_of(key)
            # Rows that others were added to are not the cheapest any more.
            if coarser == key or key in grown:
                continue
            value = self.blurred(rows.pop(key))
            before = rows.get(coarser)
            if before is None:
                rows[coarser] = value
                alone.append(coarser)
            else:
                rows[coarser] = add(before, value)
                grown.add(coarser)
        return alone
