"""What tests of objects and threads ask of a delta."""

from collections.abc import Callable

from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.delta import Delta


def sums_by(delta: Delta, name: str) -> dict[str, Sums]:
    """Return the sums of a call by the names of its objects."""
    sums: dict[str, Sums] = {}
    for key, row in delta.activity.items():
        if key.call == name:
            known = delta.objects.get(key.object)
            shown = known.name if known else str(key.object)
            sums[shown] = sums.get(shown, NO_SUMS) + row
    return sums


def total(delta: Delta, is_meant: Callable[[str, str], bool] = lambda *_: True) -> Sums:
    """Return the sums of the rows whose call and object are meant."""
    whole = NO_SUMS
    for key, row in delta.activity.items():
        known = delta.objects.get(key.object)
        if is_meant(key.call, known.name if known else ""):
            whole += row
    return whole
