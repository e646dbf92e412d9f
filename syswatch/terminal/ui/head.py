"""What stands above the table: who is watched, how it goes, what stands out."""

from syswatch.model.ledger import Weight
from syswatch.model.messages import Started
from syswatch.model.snapshot import Snapshot, categories
from syswatch.views.activity import pulse, sparkline
from syswatch.views.alert import Severity
from syswatch.views.alerts import alerts
from syswatch.views.fidelity import exactness, notes_of
from syswatch.views.numbers import count, elapsed, long_duration, per_second, share
from syswatch.views.source import watched_by
from syswatch.views.state import state

from .pieces import Line, Piece, cells, fitting, joined, left, ranked, wrapped

_INKS = {
    Severity.CRITICAL: "failing",
    Severity.WARNING: "failing",
    Severity.NOTICE: "slow",
}
_PULSE_S = 20
_MOST_FLAGS = 24


def header(snapshot: Snapshot, width: int, *, frozen: bool) -> list[Line]:
    """Return who is watched, and the figures; what matters most, where there is little room."""
    parts = (_subject(snapshot, frozen=frozen), _figures(snapshot))
    return [joined(ranked(each, width)) for each in parts]


def _subject(snapshot: Snapshot, *, frozen: bool) -> list[tuple[int, Line]]:
    process = snapshot.source.process
    name = left(process.comm or process.cmdline or "trace", 24).rstrip()
    ink = "failing" if snapshot.trouble else "dim" if snapshot.done else "live"
    # What is over has a length; what goes on shows seconds, and does not flicker.
    long = (long_duration if snapshot.done else elapsed)(snapshot.elapsed_ns)
    return [
        (6, [("syswatch", "dim")]),
        (0, [(f"{name}[{process.pid}]" if process.pid else name, "title")]),
        (0, [("● ", ink), (state(snapshot), "title" if snapshot.done else ink)]),
        (4, [_watched_by(snapshot.source)]),
        (3, [(long, "")]),
        (5 if snapshot.is_exact else 2, [_exactness(snapshot)]),
        *([(1, [("FROZEN", "slow")])] if frozen else []),
    ]


def _watched_by(source: Started) -> Piece:
    words = watched_by(source.backend or "–", left(source.only, _MOST_FLAGS).rstrip())
    return words, "slow" if source.only else "dim"


def _exactness(snapshot: Snapshot) -> Piece:
    words = exactness(exact=snapshot.is_exact, trouble=snapshot.trouble)
    return words, "dim" if snapshot.is_exact else "slow"


def _figures(snapshot: Snapshot) -> list[tuple[int, Line]]:
    errors, total = snapshot.errors, snapshot.total
    beat = sparkline(pulse(snapshot, _PULSE_S))
    failed = f"{count(errors)} errors ({share(errors / total)})" if errors else "no errors"
    return [
        (0, [(count(total), "title"), (" calls", "dim")]),
        (0, [(per_second(snapshot.rate), "title"), (" /s", "dim")]),
        (2, [(beat, "live")]),
        (0, [(failed, "failing" if errors else "dim")]),
        (1, [(str(len(snapshot.calls)), "title"), (" unique", "dim")]),
    ]


def category_bar(snapshot: Snapshot, width: int) -> Line:
    """Return a bar of the categories, and their shares as words beside it."""
    totals = sorted(categories(snapshot.calls).items(), key=lambda item: -item[1].count)
    whole = snapshot.total
    if not whole:
        return [("no calls yet", "dim")]
    most = max(8, width // 8)
    bar: list[tuple[str, str]] = [
        ("█" * round(most * tally.count / whole), category.value) for category, tally in totals
    ]
    words = [
        [(f"{category.value} ", category.value), (share(tally.count / whole), "")]
        for category, tally in totals
    ]
    used = cells(bar) + 1
    return [*bar, (" ", ""), *joined(fitting(words, width - used))]


def standing_out(snapshot: Snapshot) -> list[Line]:
    """Return alerts, then what was lost; an end that went wrong before both."""
    lines: list[Line] = [[("✕ ", "failing"), (snapshot.trouble, "failing")]] * bool(
        snapshot.trouble
    )
    for alert in alerts(snapshot):
        ink = _INKS[alert.severity]
        lines.append([(f"{alert.sign} ", ink), (alert.title, ink), (f"  {alert.why}", "dim")])
    lost = notes_of(snapshot.sums.ledger, Weight.LOST)
    return lines + [[("▲ not exact: ", "slow"), (note, "")] for note in lost]


def shortened(lines: list[Line], most: int, width: int) -> list[Line]:
    """Return the gravest of what stands out; what is too long for a line ends with a sign of it."""
    shown = [_cut(line, width) for line in lines[:most]]
    if len(lines) > most:
        shown[-1] = [(f"  and {len(lines) - most + 1} more: press w", "dim")]
    return shown


def _cut(line: Line, width: int) -> Line:
    *first, (words, ink) = line
    room = width - cells(first)
    return line if cells(line) <= width or room < 1 else [*first, (left(words, room), ink)]


def in_full(snapshot: Snapshot, width: int) -> list[Line]:
    """Return all that stands out, for a page of its own, and what else is noted."""
    found = standing_out(snapshot) or [[("Nothing stands out.", "dim")]]
    return [part for line in [*found, *_noted(snapshot)] for part in _broken(line, width)]


def _noted(snapshot: Snapshot) -> list[Line]:
    # It is usual, and its numbers grow all the time: nothing for above the table.
    noted = notes_of(snapshot.sums.ledger, Weight.NOTED, Weight.SAMPLED)
    return [[("note: ", "dim"), (note, "dim")] for note in noted]


def _broken(line: Line, width: int) -> list[Line]:
    """Break the last piece of a line, the explanation, where it does not fit."""
    if cells(line) <= width:
        return [line]
    *first, (words, ink) = line
    return [first, *([("    ", ""), *part] for part in wrapped(words, width - 5, ink))]
