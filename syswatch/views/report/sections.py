"""The sections of the report around the table of calls."""

from collections.abc import Sequence

from syswatch.base.classes import frozen
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot, categories
from syswatch.views.alerts import alerts, folded
from syswatch.views.budget.budget import budget
from syswatch.views.formatting import count, rfc3339, several, share
from syswatch.views.paths import opened_paths
from syswatch.views.process_tree import process_tree
from syswatch.views.status import notes, state, verdict

from .markup import Markup, quantity, tag
from .table import (
    NO_CALLS,
    NOTHING,
    Cell,
    TableColumn,
    bar,
    category_chip,
    length,
    number,
    table,
    time,
    times,
)

MOST_PROCESSES = 200
MOST_ERRORS = 200


@frozen
class Provenance:
    """The origin of a report, which its last section shows."""

    command: str
    version: str
    kernel: str
    when: str


def ending(snapshot: Snapshot) -> Markup:
    """Return how the program ended, if that is known."""
    text = _ending(snapshot)
    if not text:
        return Markup("")
    is_bad = snapshot.trouble or snapshot.end.exit_signal or snapshot.end.exit_code
    return tag("p", f"✕ {text}", class_="failing") if is_bad else tag("p", f"■ {text}")


def _calls(number: int) -> str:
    return "call" if number == 1 else "calls"


def cards(snapshot: Snapshot) -> Markup:
    """Return the most important numbers."""
    failed = snapshot.errors / snapshot.total if snapshot.total else 0.0
    shown = [
        (quantity(count(snapshot.total), f"{snapshot.total:,}"), _calls(snapshot.total)),
        (quantity(str(len(snapshot.calls))), f"distinct {_calls(len(snapshot.calls))}"),
        (quantity(share(failed) if snapshot.errors else NOTHING), _failed_words(snapshot)),
        (quantity(length(budget(snapshot).call_ns or snapshot.total_ns)), "time in calls"),
    ]
    if snapshot.elapsed_ns and snapshot.sums.span:
        began = rfc3339(snapshot.sums.span.first_ns)[:19].replace("T", " ")
        shown.append((quantity(length(snapshot.elapsed_ns)), f"from {began}"))
    items = [
        tag("li", (tag("b", figure), tag("span", text, class_="label"))) for figure, text in shown
    ]
    return tag("ul", items, class_="panel cards")


def alert_list(snapshot: Snapshot) -> Markup:
    """Return the alerts, each with an explanation."""
    found = folded(alerts(snapshot))
    if not found:
        return tag("p", "No alerts.", class_="dim")
    items = [
        tag(
            "li",
            (
                tag("span", alert.severity.sign, class_="sign", aria_hidden="true"),
                tag(
                    "div",
                    (alert.title, " ", tag("span", alert.severity.label, class_="word")),
                    class_="title",
                ),
                tag("p", alert.why, class_="why"),
            ),
            class_=f"alert {alert.severity.label}",
        )
        for alert in found
    ]
    return tag("ul", items)


def by_category(snapshot: Snapshot) -> Markup:
    """Return calls, errors and time of each category."""
    if not snapshot.total:
        return NO_CALLS
    total = snapshot.total
    columns = (
        TableColumn("Category", is_word=True),
        TableColumn("Calls"),
        TableColumn("Share"),
        TableColumn(""),
        TableColumn("Errors"),
        TableColumn("Time in calls"),
    )
    rows = (
        (
            Cell(category_chip(category)),
            times(tally.count),
            number(quantity(share(tally.count / total)), tally.count),
            Cell(bar(tally.count / total), kind=f"bar-cell {category.css_class}"),
            times(tally.errors),
            time(tally.total_ns),
        )
        for category, tally in categories(snapshot.calls).items()
    )
    return table(columns, rows)


def errors(snapshot: Snapshot) -> Markup:
    """Return the errnos of each call, the commonest first."""
    found = [
        (call.name, errno, met, met / call.tally.count)
        for call in snapshot.calls
        for errno, met in call.tally.errnos.items()
    ]
    if not found:
        return tag("p", "No call failed.", class_="dim")
    ranked = sorted(found, key=lambda each: (-each[2], each[:2]))
    columns = (
        TableColumn("Call", is_word=True),
        TableColumn("Errno", is_word=True),
        TableColumn("Count", first=True),
        TableColumn("Share of calls"),
    )
    rows = (
        (
            Cell(name, name, "code"),
            Cell(errno, errno, "code failing"),
            number(f"{met:,}", met),
            number(quantity(share(part)), part),
        )
        for name, errno, met, part in ranked[:MOST_ERRORS]
    )
    return _with_rest(
        table(columns, rows, kind="sortable"),
        len(ranked) - MOST_ERRORS,
        "rarer failures",
    )


def files(snapshot: Snapshot, most: int) -> Markup:
    """Return the paths that were opened most."""
    sums = snapshot.sums
    opens = sum(sums.paths.values()) + sums.ledger.untracked_paths or 1
    paths = opened_paths(snapshot)[:most]
    if not paths:
        return tag("p", "No file was opened.", class_="dim")
    columns = (
        TableColumn("Path", is_word=True),
        TableColumn("Opens", first=True),
        TableColumn("Failed"),
        TableColumn("Share"),
    )
    rows = (
        (
            Cell(each.path, each.path, "code wrap"),
            number(f"{each.count:,}", each.count),
            number(f"{each.failed:,}", each.failed) if each.failed else Cell(NOTHING, 0),
            number(quantity(share(each.count / opens)), each.count),
        )
        for each in paths
    )
    return table(columns, rows, kind="sortable")


def processes(snapshot: Snapshot) -> Markup:
    """Return the processes, children under their parents."""
    found = snapshot.sums.processes
    if not found:
        return tag("p", "The trace does not distinguish processes.", class_="dim")
    kept = sorted(found, key=lambda pid: (-found[pid].count, pid))[:MOST_PROCESSES]
    columns = (
        TableColumn("Process", is_word=True),
        TableColumn("Calls"),
        TableColumn("Errors"),
        TableColumn("Time in calls"),
        TableColumn("End", is_word=True),
    )
    order = process_tree({pid: found[pid] for pid in kept})
    shown = table(columns, [_process(pid, found[pid], depth) for pid, depth in order])
    return _with_rest(shown, len(found) - len(kept), "processes with fewer calls")


def ledger(snapshot: Snapshot) -> Markup:
    """Return the notes on lost data and on other limits of the numbers."""
    ink = "fine" if snapshot.is_exact else "slow"
    items = [tag("li", f"{note}.") for note in notes(snapshot.sums.ledger).values()]
    return tag("div", (tag("p", verdict(snapshot), class_=ink), tag("ul", items)))


def provenance(snapshot: Snapshot, origin: Provenance) -> Markup:
    """Return the facts about the report itself: command, target, versions, time."""
    process = snapshot.source.process
    facts = (
        ("Command", origin.command),
        ("Traced with", snapshot.source.backend),
        ("Filters", snapshot.source.only),
        ("Process", f"{process.pid} {process.comm}".strip() if process.pid else process.comm),
        ("Command line", process.cmdline),
        ("Executable", process.exe),
        ("Working directory", process.cwd),
        ("Ended", _ending(snapshot)),
        ("syswatch", origin.version),
        ("Kernel", origin.kernel),
        ("Written", origin.when),
    )
    pairs = [(tag("dt", title), tag("dd", text, class_="long")) for title, text in facts if text]
    return tag("dl", [part for pair in pairs for part in pair], class_="facts")


def _with_rest(shown: Markup, rest: int, what: str) -> Markup:
    if rest <= 0:
        return shown
    return tag("div", (shown, tag("p", f"Omitted here: {what} ({rest:,}).", class_="dim")))


def _failed_words(snapshot: Snapshot) -> str:
    return f"of calls failed ({count(snapshot.errors)})" if snapshot.errors else "no errors"


def _ending(snapshot: Snapshot) -> str:
    if snapshot.trouble:
        return snapshot.trouble
    known = snapshot.end.exit_signal is not None or snapshot.end.exit_code is not None
    return state(snapshot) if known else ""


def _process(pid: int, tally: ProcessTally, depth: int) -> Sequence[Cell]:
    branch = "\u2003" * depth + ("└ " if depth else "")
    return (
        Cell(f"{branch}{pid} {tally.comm}{several(tally.lives)}", kind="code"),
        times(tally.count),
        times(tally.errors),
        time(tally.total_ns),
        Cell(tally.ending or NOTHING),
    )
