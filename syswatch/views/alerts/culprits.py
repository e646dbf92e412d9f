"""The object that most of the time, or most of the errors, of a call are due to."""

from collections.abc import Callable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.activity import Sums
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind, kind_of_other
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.memory import once_per_snapshot
from syswatch.views.budget.names import object_name
from syswatch.views.budget.scope import info_of, sums_of_waits

# With a smaller share, an object is one of several.
_MAIN = 0.5


@frozen
class Culprit:
    """An object, with its name in words."""

    id: int = NO_OBJECT
    name: str = ""
    path: str = ""

    @classmethod
    def of(cls, number: int, info: ObjectInfo) -> "Culprit":
        """Return an object; `path` is empty if it has none."""
        has_path = info.kind.namespace == ObjectKind.PATH.namespace
        return cls(number, object_name(info), info.name if has_path else "")


NO_CULPRIT = Culprit()


def main_of_time(snapshot: Snapshot, call: str) -> Culprit:
    """Return the object on which a call spent at least half of its time."""
    return _mains_of_time(snapshot).get(call, NO_CULPRIT)


def main_of_errors(snapshot: Snapshot, call: str) -> Culprit:
    """Return the object on which at least half of the failures of a call occurred."""
    return _mains_of_errors(snapshot).get(call, NO_CULPRIT)


@once_per_snapshot
def _mains_of_time(snapshot: Snapshot) -> Mapping[str, Culprit]:
    return _mains(snapshot, lambda sums: sums.total_ns)


@once_per_snapshot
def _mains_of_errors(snapshot: Snapshot) -> Mapping[str, Culprit]:
    return _mains(snapshot, lambda sums: sums.errors)


def _mains(snapshot: Snapshot, weigh: Callable[[Sums], int]) -> Mapping[str, Culprit]:
    """Return the object with most of the weight by call; what stands for many is none."""
    totals: dict[str, int] = {}
    heaviest: dict[str, tuple[int, int]] = {}
    for (number, call), sums in sums_of_waits(snapshot).items():
        weight = weigh(sums)
        totals[call] = totals.get(call, 0) + weight
        if kind_of_other(number) is None:
            heaviest[call] = max(heaviest.get(call, (0, 0)), (weight, number))
    return {
        call: Culprit.of(number, info_of(snapshot, number))
        for call, (weight, number) in heaviest.items()
        if weight and weight >= _MAIN * totals[call]
    }
