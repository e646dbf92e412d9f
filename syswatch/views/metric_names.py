"""
Which names have series of their own.

The number of series has a limit, and a counter must never decrease.  So a name that has been given
a row keeps it, and one that has been added to the others stays there.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define


@define
class MetricNames:
    """The names that have a row; the last row is kept for all others."""

    most: int
    _named: set[str] = attrs.field(factory=set)

    def choose(self, ranked: Iterable[str]) -> AbstractSet[str]:
        """Return the names with a row; the first of the new ones get those that are free."""
        new = [name for name in ranked if name not in self._named]
        self._named.update(new[: max(self.most - 1 - len(self._named), 0)])
        return self._named
