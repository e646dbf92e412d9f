"""The objects of calls that may be shown."""

from collections.abc import Iterable, Mapping

import attrs

from syswatch.base.classes import define
from syswatch.codec.log_calls import unpacked_objects
from syswatch.model.entries import LOG_ENTRIES

from .line_format import Row
from .row_loops import running

# When so many are known, those of calls that will not be shown are forgotten.
_MOST_KNOWN = 10_000


@define
class ShownObjects:
    """Collects the objects of some rows by the numbers of their lines, when they are counted."""

    found: running.FoundObjects = attrs.field(factory=running.FoundObjects)
    _expected: dict[int, Row] = attrs.field(factory=dict, init=False)
    _known: dict[int, int] = attrs.field(factory=dict, init=False)

    def expect(self, rows: Mapping[int, Row]) -> None:
        """Note rows that may be shown."""
        self._expected.update(rows)

    def note_counted(self) -> None:
        """Note the objects of the rows that were expected: all have been counted."""
        objects = unpacked_objects(self.found.of(list(self._expected.values())))
        self._known.update(zip(self._expected, objects, strict=True))
        self._expected.clear()

    def by_line(self) -> Mapping[int, int]:
        """Return the objects that are known."""
        return self._known

    def forget_others(self, shown: Iterable[int]) -> None:
        """Forget objects if there are many, except those of some lines and of the newest ones."""
        if len(self._known) > _MOST_KNOWN:
            kept = {*shown, *sorted(self._known)[-LOG_ENTRIES:]}
            self._known = {line: found for line, found in self._known.items() if line in kept}
