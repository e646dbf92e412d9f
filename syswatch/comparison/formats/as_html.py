"""One self-contained page: what changed, both sides of every call, and their durations."""

from collections.abc import Iterator, Sequence
from importlib.resources import files as resources

from syswatch.base.text import escape_text
from syswatch.comparison.bands import Band
from syswatch.comparison.change import Comparison
from syswatch.comparison.run import Figure, Kind, Run, Subject
from syswatch.views.formatting import plural
from syswatch.views.report.markup import Content, Markup, quantity, tag
from syswatch.views.report.self_contained import self_contained
from syswatch.views.report.table import NOTHING, Cell, TableColumn, table

from .overlaid import histogram_of, overlaid
from .presentation import Presentation
from .words import Row, band, first_line, notes, rows, side, value

# Keep the file small enough to mail.
_MOST_SENTENCES = 50
_MOST_ROWS = 5000
_MOST_HISTOGRAMS = 60
# Fewer durations have no shape.
_LEAST_DURATIONS = 10
_CARDS = (
    (Figure.COUNT, "calls"),
    (Figure.ERRORS, "errors"),
    (Figure.WORKING, "time working"),
    (Figure.WAITING, "time waiting"),
    (Figure.BYTES_IN, "read and received"),
    (Figure.BYTES_OUT, "written and sent"),
    (Figure.WALL, "wall time"),
)
_SIDE_BY_SIDE = (
    Figure.COUNT,
    Figure.ERRORS,
    Figure.WORKING,
    Figure.WAITING,
    Figure.P50,
    Figure.P95,
)
_NO_FIGURES: dict[Figure, int] = {}


def write(comparison: Comparison, how: Presentation) -> str:
    """Return the page."""
    style = resources(__package__).joinpath("diff.css").read_text("utf-8")
    body = tag("main", [_header(comparison, how.origin), *_sections(comparison)])
    return self_contained(first_line(comparison), body, more_style=style)


def _header(comparison: Comparison, origin: str) -> Markup:
    sides = (("Before", comparison.before), ("After", comparison.after))
    return tag(
        "header",
        (
            tag("h1", first_line(comparison), class_="long subject"),
            tag(
                "dl",
                [
                    each
                    for title, runs in sides
                    for each in (
                        tag("dt", title, class_=title.lower()),
                        tag("dd", side(runs), class_="long"),
                    )
                ],
                class_="facts",
            ),
            tag("p", origin, class_="dim") if origin else "",
        ),
    )


def _sections(comparison: Comparison) -> Iterator[Markup]:
    yield _cards(comparison)
    changed = rows(comparison)
    if len(comparison.findings) > 1:
        yield _section("What changed", _sentences(comparison))
    yield _section("Changes", _changes(changed))
    calls = _calls(comparison, changed)
    yield _section("Calls side by side", _side_by_side(comparison, calls))
    yield _section("Durations", _durations(comparison, calls))
    yield _section("About this comparison", _about(comparison))


def _section(title: str, content: Content) -> Markup:
    return tag("section", (tag("h2", title), tag("div", content, class_="panel inside")))


def _cards(comparison: Comparison) -> Markup:
    """Return the totals of both sides."""
    items = []
    for figure, label in _CARDS:
        before, after = _both(comparison, Subject(Kind.TOTAL), figure)
        if before.most or after.most:
            texts = [value(each.middle, figure) for each in (before, after)]
            shown = [quantity(texts[0])]
            if texts[0] != texts[1]:
                shown += [tag("span", " → ", class_="dim"), quantity(texts[1])]
            items.append(tag("li", (tag("b", shown), tag("span", label, class_="label"))))
    return tag("ul", items, class_="panel cards")


def _sentences(comparison: Comparison) -> Markup:
    findings = comparison.findings
    items = [tag("li", each.text, class_="long") for each in findings[:_MOST_SENTENCES]]
    rest = len(findings) - len(items)
    if rest:
        items.append(tag("li", f"{plural(rest, 'other change')} in the table", class_="dim"))
    return tag("ol", items)


def _changes(changed: Sequence[Row]) -> Markup:
    if not changed:
        return tag("p", "Nothing changed.", class_="dim")
    columns = (
        TableColumn("Kind", is_word=True),
        TableColumn("What", is_word=True),
        TableColumn("Figure", is_word=True),
        TableColumn("Before"),
        TableColumn("After"),
        TableColumn("Change"),
    )
    shown = table(columns, map(_change, changed[:_MOST_ROWS]), kind="sortable")
    rest = len(changed) - _MOST_ROWS
    if rest > 0:
        note = tag("p", f"{plural(rest, 'more change')} not shown here.", class_="dim")
        return tag("div", (shown, note), class_="noted")
    return shown


def _change(row: Row) -> Sequence[Cell]:
    change = row.change
    return (
        Cell(row.kind, kind="dim"),
        Cell(row.subject, kind="code wrap"),
        Cell(row.figure),
        Cell(row.before, change.before.middle),
        Cell(row.after, change.after.middle),
        Cell(row.difference, change.difference, "more" if change.difference > 0 else "less"),
    )


def _calls(comparison: Comparison, changed: Sequence[Row]) -> list[str]:
    """Return the names of all calls: those that changed first, then the most frequent."""
    counts: dict[str, int] = {}
    for run in (*comparison.before, *comparison.after):
        for subject, figures in run.figures.items():
            if subject.kind is Kind.CALL:
                counted = counts.get(subject.name, 0) + figures.get(Figure.COUNT, 0)
                counts[subject.name] = counted
    first = dict.fromkeys(
        row.change.subject.name for row in changed if row.change.subject.kind is Kind.CALL
    )
    return sorted(counts, key=lambda name: (name not in first, -counts[name], name))


def _side_by_side(comparison: Comparison, calls: Sequence[str]) -> Markup:
    if not calls:
        return tag("p", "No system call was made.", class_="dim")
    unknown = frozenset().union(*(run.unknown for run in (*comparison.before, *comparison.after)))
    figures = [each for each in _SIDE_BY_SIDE if (Kind.CALL, each) not in unknown]
    columns = [TableColumn("Call", is_word=True)]
    for figure in figures:
        columns += [TableColumn(figure.value.capitalize()), TableColumn("→")]
    marked = {
        (change.subject.name, change.figure)
        for change in comparison.changes
        if change.subject.kind is Kind.CALL
    }
    lines = []
    for name in calls:
        cells = [Cell(name, name, "code")]
        for figure in figures:
            before, after = _both(comparison, Subject(Kind.CALL, name), figure)
            kind = "changed" if (name, figure) in marked else ""
            cells += [_cell(before, figure, ""), _cell(after, figure, kind)]
        lines.append(cells)
    return table(columns, lines, kind="sortable sides")


def _cell(values: Band, figure: Figure, kind: str) -> Cell:
    if not values.most:
        return Cell(NOTHING, 0, kind)
    title = None if values.is_one_value else band(values, figure)
    return Cell(quantity(value(values.middle, figure)), values.middle, kind, title)


def _durations(comparison: Comparison, calls: Sequence[str]) -> Markup:
    """Return the distributions on both sides, over each other."""
    legend = tag(
        "p",
        (
            tag("span", "before", class_="key before"),
            tag("span", "after", class_="key after"),
            "share of the calls by duration, on a logarithmic axis",
        ),
        class_="dim keys",
    )
    drawn: list[Markup] = []
    for name in calls:
        before, after = (histogram_of(runs, name) for runs in (comparison.before, comparison.after))
        is_clear = min(before.total, after.total) >= _LEAST_DURATIONS
        if is_clear and len(drawn) < _MOST_HISTOGRAMS:
            drawn.append(overlaid(before, after, name))
    if not drawn:
        return tag(
            "p", f"No call has {_LEAST_DURATIONS} known durations on both sides.", class_="dim"
        )
    return tag("div", (legend, tag("div", drawn, class_="grid")))


def _about(comparison: Comparison) -> Markup:
    items = [tag("li", note, class_="long") for note in notes(comparison)]
    items += [
        tag("li", f"{escape_text(run.name)}: traced only {run.only}", class_="long")
        for run in (*comparison.before, *comparison.after)
        if run.only
    ]
    if not items:
        return tag("p", "All numbers were compared.", class_="dim")
    return tag("ul", items)


def _both(comparison: Comparison, subject: Subject, figure: Figure) -> tuple[Band, Band]:
    return _band(comparison.before, subject, figure), _band(comparison.after, subject, figure)


def _band(runs: Sequence[Run], subject: Subject, figure: Figure) -> Band:
    return Band.of([run.figures.get(subject, _NO_FIGURES).get(figure, 0) for run in runs])
