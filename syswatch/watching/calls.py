"""Counts of system calls by any expression that selects some of them."""

from collections.abc import Iterator, Mapping
from functools import cache

from syswatch.model.catalog import plain_name
from syswatch.model.filters import FilterError, traced_names
from syswatch.tracer.naming import machine
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Way


class Calls(Mapping[str, int]):
    """
    The number of calls by name; those that were not made have 0.

    A key may be any expression of `--trace`: `openat`, `%net`, `read,write`, `/^get`, `all`.  One
    that no system call can match is a KeyError, so that a mistyped name is not simply 0.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(sorted(counts.items()))

    def __getitem__(self, expression: str) -> int:
        if expression in self._counts:
            return self._counts[expression]
        return sum(self.matching(expression).values())

    def __contains__(self, expression: object) -> bool:
        return isinstance(expression, str) and self[expression] > 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __repr__(self) -> str:
        return repr(self._counts)

    @property
    def total(self) -> int:
        """The number of all calls."""
        return sum(self._counts.values())

    def matching(self, expression: str) -> Mapping[str, int]:
        """Return the counts of the calls that an expression selects."""
        names = selected(expression)
        if names is None:
            return dict(self._counts)
        # A call by the 32-bit interface counts as its namesake.
        return {name: count for name, count in self._counts.items() if plain_name(name) in names}


@cache
def selected(expression: str) -> frozenset[str] | None:
    """Return the names that an expression selects, None for all; a KeyError if it is invalid."""
    try:
        return traced_names(expression, machine())
    except FilterError as error:
        raise KeyError(str(error)) from None


@cache
def opens_paths(name: str) -> bool:
    """Return whether a call opens a path that it is given."""
    return target_of(name).way is Way.OPENED_PATH
