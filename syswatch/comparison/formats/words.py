"""What all formats say of a comparison: its first line, its sides, and the rows of its table."""

import itertools
from collections.abc import Iterator, Sequence

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.comparison.bands import Band
from syswatch.comparison.change import Change, Comparison
from syswatch.comparison.run import Figure, Kind, Run
from syswatch.views.formatting import duration, plural, share, size

_TIMES = frozenset(
    {Figure.WORKING, Figure.WAITING, Figure.P50, Figure.P95, Figure.P99, Figure.WALL}
)
_BYTES = frozenset({Figure.BYTES_IN, Figure.BYTES_OUT})
_TITLES = {
    Figure.COUNT: "calls",
    Figure.BYTES_IN: "bytes in",
    Figure.BYTES_OUT: "bytes out",
    Figure.WORKING: "time working",
    Figure.WAITING: "time waiting",
}
_COUNTED = {
    Kind.ERROR: "failures",
    Kind.PATH: "opens",
    Kind.PROGRAM: "processes",
    Kind.ENDING: "processes",
}
_LARGE_RATIO = 10
_MOST_NAMES = 3


@frozen
class Row:
    """A change as it is displayed."""

    change: Change
    kind: str
    subject: str
    figure: str
    before: str
    after: str
    difference: str


def first_line(comparison: Comparison) -> str:
    """Return the answer: what matters most, or that nothing changed."""
    findings = comparison.findings
    if not findings:
        compared = plural(figures_compared(comparison), "number")
        return f"No change: {compared} compared{_incomplete(comparison)}"
    others = len(findings) - 1
    rest = f" (and {plural(others, 'other change')})" if others else ""
    return f"{findings[0].text}{rest}{_incomplete(comparison)}"


def _incomplete(comparison: Comparison) -> str:
    """Return which runs are incomplete, since whatever is missing in them looks like a change."""
    runs = (*comparison.before, *comparison.after)
    names = dict.fromkeys(escape_text(run.name) for run in runs if run.is_cut_short)
    return "".join(f"; {name} is incomplete" for name in names)


def figures_compared(comparison: Comparison) -> int:
    """Return how many different numbers of the runs were compared."""
    numbers = {
        (each, figure)
        for run in (*comparison.before, *comparison.after)
        for each, figures in run.figures.items()
        for figure in figures
    }
    return sum(itertools.starmap(comparison.options.includes, numbers))


def side(runs: Sequence[Run]) -> str:
    """Return the names of the runs of a side."""
    names = [escape_text(run.name) for run in runs[:_MOST_NAMES]]
    if len(runs) > _MOST_NAMES:
        names.append(f"{len(runs) - _MOST_NAMES:,} more")
    several = f"{len(runs)} runs: " if len(runs) > 1 else ""
    return several + ", ".join(names)


def rows(comparison: Comparison) -> list[Row]:
    """Return every change once, the most important first, with what follows from it below."""
    ordered = dict.fromkeys(
        each
        for finding in comparison.findings
        for each in (*finding.changes, *finding.consequences)
    )
    ordered |= dict.fromkeys(comparison.changes)
    return [row_of(each) for each in ordered]


def row_of(change: Change) -> Row:
    """Return how a change is displayed."""
    return Row(
        change,
        change.subject.kind.value,
        subject_of(change),
        _figure_of(change),
        band(change.before, change.figure),
        band(change.after, change.figure),
        difference(change),
    )


def subject_of(change: Change) -> str:
    """Return what changed, without the figure."""
    subject = change.subject
    if subject.kind is Kind.TOTAL:
        return "the run"
    if not subject.call:
        return subject.name
    return f"{subject.call} {subject.name}" if subject.name else subject.call


def value(number: int, figure: Figure) -> str:
    """Return a number with its unit; counts are exact."""
    if figure in _TIMES:
        return duration(number)
    return size(number) if figure in _BYTES else f"{number:,}"


def band(values: Band, figure: Figure) -> str:
    """Return the least and the greatest value of a side, or the only one."""
    least, most = value(values.least, figure), value(values.most, figure)
    return least if least == most else f"{least} … {most}"


def difference(change: Change) -> str:
    """Return by how much a figure changed, with a sign."""
    if change.is_new:
        return "new"
    if change.is_gone:
        return "gone"
    if change.figure in _TIMES | _BYTES:
        return _relative(change)
    return f"{change.difference:+,}"


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield what the reader has to know beside the changes."""
    if comparison.not_compared:
        yield f"not compared: {'; '.join(comparison.not_compared)}"
    for note in comparison.notes:
        yield f"note: {note}"


def _relative(change: Change) -> str:
    before, after = change.before.middle, change.after.middle
    if not before:
        return "new" if after else "gone"
    if after >= _LARGE_RATIO * before:
        return f"{after / before:,.0f} times"
    if before >= _LARGE_RATIO * after:
        return f"to 1/{before / after:,.0f}"
    sign = "+" if after > before else "-"
    return f"{sign}{share(abs(after - before) / before)}"


def _figure_of(change: Change) -> str:
    figure = change.figure
    kind = change.subject.kind
    if figure is Figure.COUNT and (kind is Kind.ERROR or not change.subject.call):
        return _COUNTED.get(kind, "calls")
    return _TITLES.get(figure, figure.value)
