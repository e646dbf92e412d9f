"""Logs as deltas."""

from collections import Counter

from syswatch.model.delta import Delta
from syswatch.model.messages import FilterOptions
from syswatch.model.objects import kind_of_other
from syswatch.tracer.stracelog.log_filter import LogFilter
from tests.reading import condense


def condensed(log: str, **options: object) -> Delta:
    """Parse a log, given without indentation, in both ways, which must agree."""
    raw = "\n".join(line.strip() for line in log.strip().splitlines()).encode()
    view = LogFilter(FilterOptions(**options))  # type: ignore[arg-type]
    exact, fast = (condense(raw, exactly=exactly, filter=view) for exactly in (True, False))
    if exact != fast:
        raise AssertionError(f"{exact}\n{fast}")
    return fast


def names(delta: Delta, call: str) -> Counter[str]:
    """Return how often a call acted on each object."""
    counts: Counter[str] = Counter()
    for key, sums in delta.activity.items():
        if key.call == call and sums.count:
            info = delta.objects.get(key.object)
            kind = kind_of_other(key.object)
            counts[info.name if info else f"({kind.value if kind else '?'})"] += sums.count
    return counts
