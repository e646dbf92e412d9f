"""The parts that details of different things have in common."""

from collections.abc import Iterator, Mapping, Sequence

from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.budget_bar import state_style
from syswatch.terminal.ui.styled_text import (
    Line,
    Span,
    align_left,
    align_right,
    cell_width,
    join_lines,
)
from syswatch.views.budget.names import object_name
from syswatch.views.budget.scope import state_texts
from syswatch.views.budget.states import TimeState
from syswatch.views.durations import Row, rows
from syswatch.views.formatting import duration, share

_BAR_CELLS = 30
_LEAST_BAR_CELLS = 6
# The cells of a state beside its bar, with its letter.
_STATE_CELLS, _AMOUNT_CELLS = 10, 22
_MAX_BARS = 16
# The cells of a histogram beside its bars.
_LABEL_CELLS, _COUNT_CELLS, _MARK_CELLS = 12, 12, 16
NOTHING = "–"


def title(text: str) -> Iterator[Line]:
    """Yield an empty line and a title."""
    yield []
    yield [(text, "title")]


def pairs(values: Mapping[str, str], width: int) -> Iterator[Line]:
    """Yield names and values next to each other, in as many lines as needed."""
    line: list[Line] = []
    for name, value in values.items():
        pair: Line = [(f"{name} ", "dim"), (value, "title")]
        if line and cell_width(join_lines([*line, pair], "   ")) > width:
            yield join_lines(line, "   ")
            line = []
        line.append(pair)
    if line:
        yield join_lines(line, "   ")


def histogram(
    durations: Histogram, marks: Mapping[str, int], style: str, width: int
) -> Iterator[Line]:
    """Yield a bar for each range of durations, with the marks that are in it."""
    shown = rows(durations, _MAX_BARS)
    peak = max((row.count for row in shown), default=0)
    free = width - _LABEL_CELLS - _COUNT_CELLS - _MARK_CELLS
    cells = max(_LEAST_BAR_CELLS, min(_BAR_CELLS, free))
    for row in shown:
        bar = "█" * (max(1, round(cells * row.count / peak)) if row.count else 0)
        contained = " ".join(name for name, ns in marks.items() if row.holds(ns))
        yield [
            (align_right(_upper_bound(row), _LABEL_CELLS) + "  ", "dim"),
            (align_left(bar, cells), style),
            (
                align_right(f"{row.count:,}" if row.count else NOTHING, _COUNT_CELLS),
                "" if row.count else "dim",
            ),
            (f"  {contained}", "dim"),
        ]


def _upper_bound(row: Row) -> str:
    return f"≥ {duration(row.from_ns)}" if row.below_ns is None else f"< {duration(row.below_ns)}"


def state_rows(snapshot: Snapshot, states: Mapping[TimeState, int], width: int) -> Iterator[Line]:
    """Yield a bar for each state, with its time and share."""
    whole = sum(states.values())
    labels = {state: state_texts(snapshot, state).label for state in TimeState if states.get(state)}
    label_cells = max([_STATE_CELLS, *(len(label) + 1 for label in labels.values())])
    cells = max(_LEAST_BAR_CELLS, min(_BAR_CELLS, width - _AMOUNT_CELLS - label_cells))
    for state, label in labels.items():
        bar = "█" * max(1, round(cells * states[state] / whole))
        yield [
            (f"{state.letter} {align_left(label, label_cells)}", ""),
            (align_left(bar, cells), state_style(state)),
            (align_right(duration(states[state]), 10), ""),
            (align_right(share(states[state] / whole), 9), "dim"),
        ]


def object_cell(info: ObjectInfo) -> str:
    """Return an object as a table shows it: the name first, as it may be cut."""
    if not info.name:
        return object_name(info)
    if info.kind is ObjectKind.FUTEX:
        # Locks of one process differ in their address.
        process, _, address = info.name.rpartition(": ")
        return f"{address}, {process}" if process else address
    more = info.host or info.detail or info.service
    return f"{info.name} ({more})" if more else info.name


def time_text(spent_ns: int) -> str:
    """Return a duration, or a dash for none."""
    return duration(spent_ns) if spent_ns else NOTHING


def state_span(state: TimeState, name: str = "") -> Span:
    """Return the name of a state in its colour; idle threads are dimmed instead."""
    return name or state.label, "dim" if state is TimeState.IDLE else state_style(state)


def thread_name(snapshot: Snapshot, tid: int, pid: int = 0) -> str:
    """Return a thread as `comm[TID]`; by its ID alone if its name is not known."""
    tally = snapshot.sums.threads.get(tid)
    process = snapshot.sums.processes.get(pid or (tally.pid if tally else tid))
    comm = (tally.comm if tally else "") or (process.comm if process else "")
    return f"{comm}[{tid}]" if comm else str(tid)


def process_name(snapshot: Snapshot, pid: int) -> str:
    """Return a process as `comm[PID]`; by its ID alone if its name is not known."""
    process = snapshot.sums.processes.get(pid)
    return f"{process.comm}[{pid}]" if process and process.comm else f"PID {pid}"


def names_line(label: str, names: Sequence[str], most: int = 6) -> Iterator[Line]:
    """Yield a line of names after a label, if there are any."""
    if names:
        rest = f" and {len(names) - most} more" if len(names) > most else ""
        yield [(f"{label} ", "dim"), (", ".join(names[:most]) + rest, "")]
