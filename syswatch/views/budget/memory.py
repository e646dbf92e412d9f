"""Values that several views compute from the same snapshot, computed once."""

from collections.abc import Callable
from functools import update_wrapper
from typing import TypeVar
from weakref import ref

from syswatch.model.snapshot import Snapshot

Value = TypeVar("Value")


def once_per_snapshot(compute: Callable[[Snapshot], Value]) -> Callable[[Snapshot], Value]:
    """Return a function that remembers its result for the newest snapshot."""
    newest: tuple[Callable[[], Snapshot | None], Value] | None = None

    def remembered(snapshot: Snapshot) -> Value:
        nonlocal newest
        if newest is not None and newest[0]() is snapshot:
            return newest[1]
        value = compute(snapshot)
        newest = ref(snapshot), value
        return value

    return update_wrapper(remembered, compute)
