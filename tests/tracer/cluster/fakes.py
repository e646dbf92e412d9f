"""A scheduler that does each task at once, and deltas of a given size."""

import pickle
from collections.abc import Callable
from typing import Any

import attrs

from syswatch.model.delta import Delta
from syswatch.tracer.cluster.submission import Future


def delta_of_paths(first: int, count: int) -> Delta:
    """Return a delta in which each of some numbered paths was opened once."""
    return Delta(paths={f"/{at}": 1 for at in range(first, first + count)})


@attrs.define(eq=False)
class DoneFuture:
    """The result of a task that was done at once."""

    key: str
    value: Any
    status: str = "finished"

    def done(self) -> bool:
        """Return that the task has ended."""
        return True

    def result(self) -> Any:
        """Return a copy, as from another process."""
        return pickle.loads(pickle.dumps(self.value))  # noqa: S301

    def add_done_callback(self, fn: Callable[[Future], None]) -> None:
        """Call a function with this future."""
        fn(self)


@attrs.define
class ImmediateScheduler:
    """Does each task twice when it is submitted: the second result counts, as after a retry."""

    # The names of the tasks in the order in which they were submitted.
    submitted: list[str] = attrs.field(factory=list)

    def submit(self, func: Callable[..., Any], /, *args: Any, **options: Any) -> DoneFuture:
        """Do a task."""
        self.submitted.append(func.__name__)
        values = [each.result() if isinstance(each, DoneFuture) else each for each in args]
        func(*values)
        return DoneFuture(options["key"], func(*values))
