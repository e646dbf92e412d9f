"""What was observed: the figures of a run, and which process did what with which object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from syswatch.base.classes import frozen
from syswatch.comparison.facts import Facts
from syswatch.comparison.run import Figure, Run
from syswatch.model.activity import ANY, Sums, kind_of
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind


class Row(NamedTuple):
    """What the calls of one name did with an object, of one process where that is known."""

    call: str
    kind: ObjectKind
    name: str
    host: str
    process: str
    sums: Sums

    def figure(self, figure: Figure) -> int:
        """Return a figure of these calls."""
        return _FIGURES[figure](self.sums)


_FIGURES: Mapping[Figure, Callable[[Sums], int]] = {
    Figure.COUNT: lambda sums: sums.count,
    Figure.ERRORS: lambda sums: sums.errors,
    Figure.BYTES_IN: lambda sums: sums.bytes_in,
    Figure.BYTES_OUT: lambda sums: sums.bytes_out,
    Figure.WAITING: lambda sums: sums.waiting_ns,
}


@frozen
class Observed:
    """A run and its details, with names as they were: those of a run to compare are aligned."""

    run: Run
    rows: Sequence[Row] = ()

    @property
    def facts(self) -> Facts:
        """What the figures of the run were made from."""
        return self.run.facts


def observe(run: Run) -> Observed:
    """Return what is known of a run; with the sums of its trace, this includes processes."""
    rows = _rows_of_facts(run.facts) if run.delta is None else _rows_of_delta(run.delta)
    return Observed(run, tuple(rows))


def _rows_of_delta(delta: Delta) -> Iterator[Row]:
    for key, sums in delta.activity.items():
        info = delta.objects.get(key.object)
        yield Row(
            key.call,
            kind_of(key.object, delta.objects),
            info.name if info else "",
            info.host if info else "",
            _process(delta, key.pid),
            sums,
        )


def _process(delta: Delta, pid: int) -> str:
    if pid == ANY:
        return ""
    tally = delta.processes.get(pid)
    return f"{tally.comm} ({pid})" if tally and tally.comm else f"process {pid}"


def _rows_of_facts(facts: Facts) -> Iterator[Row]:
    for each in facts.objects or ():
        for call, counts in each.calls.items():
            yield Row(call, each.kind, each.name, each.host, "", Sums(*counts))
