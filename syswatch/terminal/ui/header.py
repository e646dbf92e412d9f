"""The lines above the list: the verdict, the target, the time budget, totals, alerts."""

from syswatch.model.ledger import Weight
from syswatch.model.messages import Started
from syswatch.model.snapshot import Snapshot, categories
from syswatch.model.times import SECOND_NS
from syswatch.views.alerts import alerts, folded
from syswatch.views.budget.budget import budget as budget_of
from syswatch.views.budget.lines import verdict_lines
from syswatch.views.budget.verdict import verdict
from syswatch.views.formatting import count, elapsed, long_duration, per_second, share
from syswatch.views.sparkline import recent_counts, sparkline
from syswatch.views.status import exactness, notes_of, state, traced_by

from .budget_bar import budget_line
from .styled_text import (
    Line,
    Span,
    align_left,
    by_priority,
    cell_width,
    cut_line,
    join_lines,
    that_fit,
    wrap,
    wrap_last,
)

# Terminals of at least this height show the categories, and more alerts; lower ones than the other
# show no totals, and one line of all else, which would leave no space for the list.
_TALL, _LOW = 35, 16
# In a low terminal, a usual and a tall one.
_VERDICT_LINES = 1, 3, 5
_ALERTS = 1, 2, 6
_SPARKLINE_S = 20
_MAX_NAME_CELLS = _MAX_FILTER_CELLS = 24


def header(
    snapshot: Snapshot,
    size: tuple[int, int],
    pid: int | None = None,
    sentence: str = "",
    *,
    is_paused: bool,
) -> list[Line]:
    """
    Return where the time of all or one process went, the target's line and the totals.

    The sentence that a list has of its own comes first, instead of where the time went.
    Less important parts of a line are shown only if they fit, and the categories of calls only
    where there is height for them, or if nothing is known of the time.
    """
    width, height = size
    budget = budget_of(snapshot, pid)
    own = [text for [(text, _)] in wrap(sentence, width)]
    said = _first_lines(own or verdict_lines(verdict(snapshot, pid), width), size)
    target, totals = (
        join_lines(by_priority(parts, width))
        for parts in (_target_parts(snapshot, is_paused=is_paused), _total_parts(snapshot))
    )
    categories = category_bar(snapshot, width)
    if not budget.wall_ns:
        return [*said, target, totals, categories]
    bar = budget_line(budget, snapshot.preferences.share, width)
    if height < _LOW:
        return [*said, target, bar]
    if height < _TALL:
        return [*said, target, bar, totals]
    note = [cut_line([(budget.note, "dim")], width)] if budget.note else []
    return [*said, target, bar, *note, totals, categories]


def _first_lines(lines: list[str], size: tuple[int, int]) -> list[Line]:
    """Return the lines of the verdict; a small terminal has the rest on the page of alerts."""
    width, height = size
    most = _by_height(height, _VERDICT_LINES)
    rest = " …" if len(lines) > most else ""
    *first, last = lines[:most]
    return [cut_line([(line, "title")], width) for line in (*first, last + rest)]


def _by_height(height: int, numbers: tuple[int, int, int]) -> int:
    return numbers[(height >= _LOW) + (height >= _TALL)]


def _target_parts(snapshot: Snapshot, *, is_paused: bool) -> list[tuple[int, Line]]:
    process = snapshot.source.process
    name = align_left(process.comm or process.cmdline or "trace", _MAX_NAME_CELLS).rstrip()
    style = "failing" if snapshot.trouble else "dim" if snapshot.done else "live"
    # Whole seconds while it runs, as fractions would flicker.
    time = (long_duration if snapshot.done else elapsed)(snapshot.elapsed_ns)
    return [
        (6, [("syswatch", "dim")]),
        (0, [(f"{name}[{process.pid}]" if process.pid else name, "title")]),
        (0, [("● ", style), (state(snapshot), "title" if snapshot.done else style)]),
        *([(4, [_backend(snapshot.source)])] if snapshot.source.backend else []),
        (3, [(time, "")]),
        (5 if snapshot.is_exact else 2, [_exactness(snapshot)]),
        *([(1, [("PAUSED", "slow")])] if is_paused else []),
    ]


def _backend(source: Started) -> Span:
    text = traced_by(source.backend, align_left(source.only, _MAX_FILTER_CELLS).rstrip())
    return text, "slow" if source.only else "dim"


def _exactness(snapshot: Snapshot) -> Span:
    text = exactness(exact=snapshot.is_exact, trouble=snapshot.trouble)
    return text, "dim" if snapshot.is_exact else "slow"


def _total_parts(snapshot: Snapshot) -> list[tuple[int, Line]]:
    errors, total = snapshot.errors, snapshot.total
    activity = sparkline(recent_counts(snapshot, _SPARKLINE_S))
    noun = "error" if errors == 1 else "errors"
    failed = f"{count(errors)} {noun} ({share(errors / total)})" if errors else "no errors"
    return [
        (0, [(count(total), "title"), (" calls", "dim")]),
        (0, [(per_second(_rate(snapshot)), "title"), (" /s", "dim")]),
        *([(2, [(activity, "live")])] if activity else []),
        (0, [(failed, "failing" if errors else "dim")]),
        (1, [(str(len(snapshot.calls)), "title"), (" distinct", "dim")]),
    ]


def _rate(snapshot: Snapshot) -> float:
    """Return the rate of the present, or that of a range of a recording."""
    if not snapshot.is_exact_part:
        return snapshot.rate
    return snapshot.total * SECOND_NS / max(snapshot.elapsed_ns, 1)


def category_bar(snapshot: Snapshot, width: int) -> Line:
    """Return a bar of the categories, with their shares next to it."""
    totals = sorted(categories(snapshot.calls).items(), key=lambda item: -item[1].count)
    total = snapshot.total
    if not total:
        return [("No data yet", "dim")]
    bar_width = max(8, width // 8)
    bar: list[Span] = [
        ("█" * round(bar_width * tally.count / total), category.value) for category, tally in totals
    ]
    shares: list[Line] = [
        [(f"{category.value} ", category.value), (share(tally.count / total), "")]
        for category, tally in totals
    ]
    shares.append([("of calls", "dim")])
    used = cell_width(bar) + 1
    return [*bar, (" ", ""), *join_lines(that_fit(shares, width - used))]


def alert_lines(snapshot: Snapshot) -> list[Line]:
    """Return lines for the error that ended the trace, the alerts, and lost data, in this order."""
    lines: list[Line] = []
    if snapshot.trouble:
        lines.append([("✕ ", "failing"), (snapshot.trouble, "failing")])
    for alert in folded(alerts(snapshot)):
        sign = (f"{alert.severity.sign} ", alert.severity.style)
        lines.append([sign, (alert.title, "title"), (f"  {alert.why}", "dim")])
    lost = notes_of(snapshot.sums.ledger, Weight.LOST)
    return lines + [[("▲ not exact: ", "slow"), (note, "")] for note in lost]


def shorten_alerts(lines: list[Line], size: tuple[int, int]) -> list[Line]:
    """Return the lines that there is space for, cut to the width, and how many more there are."""
    width, height = size
    limit = _by_height(height, _ALERTS)
    shown = [cut_line(line, width) for line in lines[:limit]]
    if len(lines) > limit:
        more = f"and {len(lines) - limit + 1} more" if limit > 1 else f"{len(lines)} alerts"
        shown[-1] = [(f"  {more} (press w)", "dim")]
    return shown


def alerts_page(snapshot: Snapshot, width: int) -> list[Line]:
    """Return the verdict, all alerts and notes, wrapped to the width."""
    sentence = wrap(verdict(snapshot), width - 1, "title")
    found = alert_lines(snapshot) or [[("No alerts", "dim")]]
    lines = [*found, *_note_lines(snapshot)]
    return [*sentence, [], *(part for line in lines for part in wrap_last(line, width))]


def _note_lines(snapshot: Snapshot) -> list[Line]:
    # Usual, and their numbers change all the time: not worth a line above the table.
    notes = [
        budget_of(snapshot).note,
        *notes_of(snapshot.sums.ledger, Weight.NOTED, Weight.SAMPLED),
    ]
    return [[("note: ", "dim"), (note, "dim")] for note in notes if note]
