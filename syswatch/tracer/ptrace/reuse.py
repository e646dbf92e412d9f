"""
Forgets the objects that were not used for long, so that others have names.

Without that, a trace of days would have names for the first 10 000 objects only.  Nothing is lost:
what was counted has been sent, under IDs that depend on the names alone.
"""

from collections.abc import Iterable

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.descriptors import Description

from .subjects import Subjects

# From this share of the limit on, so many are forgotten that the other share is left.
_CROWDED = 0.6
_KEPT = 0.4


@define
class Reuse:
    """Forgets what was used least recently."""

    subjects: Subjects
    # When an object was used last, in steps.
    _used: dict[int, int] = attrs.field(factory=dict, init=False)
    _now: int = attrs.field(default=0, init=False)

    def step(self, used: Iterable[int]) -> None:
        """Note what was used since the step before; forget other objects if there are many."""
        self._now += 1
        self._used.update(dict.fromkeys(used, self._now))
        known = self.subjects.descriptors.known
        numbers = known.numbers
        if len(numbers) < _CROWDED * known.limit:
            return
        last = {number: self._used.get(number, 0) for number in numbers}
        in_use = self._in_use()
        old = (each for each in last if last[each] < self._now and each not in in_use)
        excess = len(last) - int(_KEPT * known.limit)
        forgotten = frozenset(sorted(old, key=last.__getitem__)[:excess])
        self.subjects.forget_objects(forgotten)
        self._used = {number: step for number, step in last.items() if number not in forgotten}

    def _in_use(self) -> set[int]:
        """Return the objects of open descriptors, those that epolls watch, and of present calls."""
        subjects = self.subjects
        tables = {id(table): table for table in subjects.descriptors.tables.values()}
        found: set[Description] = set()
        for table in tables.values():
            found.update(table.open.values())
        for description in tuple(found):
            found.update((description.watched or {}).values())
        return {each.object for each in found} | {thread.object for thread in subjects.threads}
