"""The JSON document of a trace that a server shows, compared with baselines."""

from collections.abc import Iterator, Sequence

from msgspec.structs import asdict, replace

from syswatch.comparison.change import Comparison
from syswatch.comparison.changes import changes
from syswatch.comparison.of_delta import run_of_snapshot
from syswatch.comparison.run import Figure, Kind, Run
from syswatch.comparison.unfinished import without_missing
from syswatch.model.snapshot import Snapshot
from syswatch.views.durations import fine_bars
from syswatch.views.formatting import plural

from .document import Finding, document
from .live_records import Durations, LiveDocument, ShownChange
from .overlaid import histogram_of
from .words import Row, figures_compared, rows

_TIMES = frozenset({Figure.WORKING, Figure.WAITING, Figure.P50, Figure.P95, Figure.P99})
# More than anyone looks at.
_MOST_HISTOGRAMS = 24
_RUNNING = "still running: what is missing so far is not reported as a change"
_RANGE = "only a range of the trace is compared: what it lacks is not reported as a change"


def live_document(baselines: Sequence[Run], snapshot: Snapshot, most: int) -> LiveDocument:
    """Return what changed from the baselines to a trace; at most so many changes are listed."""
    running, part = not snapshot.done, snapshot.part_of is not None
    comparison = changes(baselines, [run_of_snapshot(snapshot, _name(snapshot))])
    if running or part:
        comparison = without_missing(comparison, _RANGE if part else _RUNNING)
    whole, shown = document(comparison), rows(comparison)
    verdict = whole.verdict
    if running and not comparison.has_changed:
        compared = plural(figures_compared(comparison), "number")
        verdict = f"No change so far: {compared} compared"
    listed = replace(
        whole,
        verdict=verdict,
        findings=[_within(each, most) for each in whole.findings[:most]],
        changes=whole.changes[:most],
    )
    return LiveDocument(
        **asdict(listed),
        running=running,
        part=part,
        total=len(shown),
        rows=[_as_text(each) for each in shown[:most]],
        durations=list(_durations(comparison, shown)),
    )


def _name(snapshot: Snapshot) -> str:
    process = snapshot.source.process
    return f"{process.comm} (PID {process.pid})" if process.pid else process.comm or "the trace"


def _within(finding: Finding, most: int) -> Finding:
    """Return a finding without the changes that are not listed."""
    return replace(
        finding,
        changes=[place for place in finding.changes if place < most],
        consequences=[place for place in finding.consequences if place < most],
    )


def _as_text(row: Row) -> ShownChange:
    return ShownChange(row.kind, row.subject, row.figure, row.before, row.after, row.difference)


def _durations(comparison: Comparison, shown: Sequence[Row]) -> Iterator[Durations]:
    """Yield the durations of the calls whose time changed, the most important first."""
    changed = (row.change for row in shown if row.change.figure in _TIMES)
    names = dict.fromkeys(each.subject.name for each in changed if each.subject.kind is Kind.CALL)
    for name in list(names)[:_MOST_HISTOGRAMS]:
        sides = [histogram_of(runs, name) for runs in (comparison.before, comparison.after)]
        before, after = (sorted(fine_bars(each).items()) for each in sides)
        if before and after:
            yield Durations(name, before, after)
