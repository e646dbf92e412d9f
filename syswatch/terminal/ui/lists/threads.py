"""The list of threads: what each one is doing now, for how long, and where its time went."""

from collections.abc import Sequence

import attrs

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.budget_bar import letters_of
from syswatch.terminal.ui.columns import NOTHING, Column
from syswatch.terminal.ui.details.parts import object_cell, state_span
from syswatch.terminal.ui.details.thread import thread_details
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.terminal.ui.styled_text import Span
from syswatch.views.budget.filters import left_out
from syswatch.views.budget.in_progress import Current, in_progress
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import ThreadStat, threads
from syswatch.views.column import Place
from syswatch.views.formatting import count, long_duration

from .cells import number_column, text_column, time_column
from .empty import no_data

_BAR_CELLS = 10
_ENDED = ("ended", "dim")


@frozen
class ThreadRow:
    """A thread: what it is doing, or None if it has ended; its times, or None before the first."""

    tid: int
    pid: int
    comm: str
    current: Current | None
    stat: ThreadStat | None
    # How long the call in progress has taken so far, at least.
    spent_ns: int
    # Its place in the usual order: blocked ones first, the longest first.
    rank: int
    # Whether a filter leaves calls out, on which the names of states depend.
    calls_left_out: bool = False

    @property
    def name(self) -> str:
        """Its name and ID."""
        return f"{self.comm}[{self.tid}]" if self.comm and self.tid else self.comm or str(self.tid)

    @property
    def began_before(self) -> bool:
        """Return whether the call in progress began before the trace."""
        return self.current is not None and self.current.spent_ns is None

    def label(self, state: TimeState) -> str:
        """Return what a state is called."""
        return state.texts(calls_left_out=self.calls_left_out).label

    def in_state(self, state: TimeState) -> int:
        """Return the time in a state."""
        return self.stat.in_state(state) if self.stat else 0

    @property
    def target(self) -> str:
        """The object of the call in progress."""
        return object_cell(self.current.info) if self.current else ""

    @property
    def call(self) -> str:
        """The call in progress."""
        return self.current.thread.call if self.current else ""


def _state(row: ThreadRow) -> Span:
    if row.current is None:
        return _ENDED
    return state_span(row.current.state, row.label(row.current.state))


def _bar(row: ThreadRow) -> str:
    """Return a letter for each tenth of its time."""
    return letters_of({state: row.in_state(state) for state in TimeState}, _BAR_CELLS)


def _spent(row: ThreadRow) -> Span:
    if not row.spent_ns:
        return NOTHING
    is_blocked = row.current is not None and row.current.state is TimeState.BLOCKED
    more_than = ">" if row.began_before else ""
    return f"{more_than}{long_duration(row.spent_ns)}", "title" if is_blocked else ""


_COLUMNS: tuple[Column[ThreadRow], ...] = (
    text_column(
        "name", "THREAD", "Name of the thread", Place(12), lambda row: row.comm, most_extra=3
    ),
    Column(
        "tid",
        "TID",
        "ID of the thread",
        Place(7, 3),
        lambda row: (str(row.tid or ""), "dim"),
        lambda row: row.tid,
        most_extra=0,
    ),
    Column(
        "state",
        "STATE",
        "What it is doing; idle ones wait for work, blocked ones within it",
        Place(8, 1),
        _state,
        lambda row: row.rank,
        is_number=False,
        most_extra=0,
    ),
    Column(
        "waiting",
        "FOR",
        "How long it has been in the call; > if it was in it before the trace began",
        Place(7, 2),
        _spent,
        lambda row: -row.spent_ns,
        is_exact=True,
    ),
    text_column(
        "call", "CALL", "The call in progress", Place(15, 4), lambda row: row.call, most_extra=0
    ),
    text_column(
        "object",
        "OBJECT",
        "What the call acts on",
        Place(20, 5),
        lambda row: row.target,
        most_extra=40,
        has_paths=True,
    ),
    text_column(
        "bar",
        "TIME",
        "Where its time went: a letter for each tenth, as in the bar above",
        Place(_BAR_CELLS, 7),
        _bar,
    ),
    time_column(
        "busy",
        "BUSY",
        "Its time without idle waits",
        Place(7, 8),
        lambda row: row.stat.busy_ns if row.stat else 0,
    ),
    time_column(
        "blocked",
        "BLOCKED",
        "Its time waiting within work",
        Place(9, 9),
        lambda row: row.in_state(TimeState.BLOCKED),
    ),
    attrs.evolve(
        time_column(
            "user",
            "OWN CODE",
            "Its time on a CPU, outside of system calls",
            Place(10, 11),
            lambda row: row.in_state(TimeState.USER),
        ),
        state=TimeState.USER,
    ),
    time_column(
        "ready",
        "READY",
        "Its time able to run without a free CPU",
        Place(8, 13),
        lambda row: row.in_state(TimeState.READY),
    ),
    number_column(
        "calls",
        "CALLS",
        "Its number of calls",
        Place(7, 10),
        lambda row: row.stat.tally.calls if row.stat else 0,
    ),
    number_column(
        "errors",
        "ERRORS",
        "Its number of failed calls",
        Place(7, 12),
        lambda row: row.stat.tally.errors if row.stat else 0,
        count,
        "failing",
    ),
    text_column(
        "why",
        "WHY",
        "Why its wait is idle or blocked",
        Place(18, 6),
        lambda row: row.current.reason if row.current else "",
        style="dim",
        most_extra=20,
    ),
)


def _items(snapshot: Snapshot, scope: Scope) -> Sequence[ThreadRow]:
    stats = {stat.tid: stat for stat in threads(snapshot, scope.pid)}
    current = {each.tid: each for each in in_progress(snapshot, scope.pid)}
    return [
        _row(snapshot, tid, current.get(tid), stats.get(tid), rank)
        for rank, tid in enumerate(dict.fromkeys((*current, *stats)))
        if scope.tid in (None, tid)
    ]


def _row(
    snapshot: Snapshot, tid: int, current: Current | None, stat: ThreadStat | None, rank: int
) -> ThreadRow:
    pid = current.thread.pid if current else stat.tally.pid if stat else 0
    comm = (current.thread.comm if current else "") or (stat.tally.comm if stat else "")
    name = comm if tid else "other threads"
    spent_ns = current.least_ns if current else 0
    calls_left_out = bool(left_out(snapshot))
    return ThreadRow(tid, pid, name, current, stat, spent_ns, rank, calls_left_out)


def _matches(row: ThreadRow, text: str) -> bool:
    state, _ = _state(row)
    return any(text in word.casefold() for word in (row.name, state, row.call, row.target))


def _copied(row: ThreadRow) -> tuple[str, str]:
    times = [row.in_state(state) for state in TimeState]
    states = ", ".join(map(row.label, TimeState))
    return "\t".join(map(str, times)), f"{row.name}: {states} (ns)"


THREADS = Listing(
    "threads",
    _COLUMNS,
    "state",
    _items,
    key=lambda row: row.tid,
    text=lambda row: row.name,
    matches=_matches,
    if_empty=lambda snapshot: no_data(snapshot, "threads"),
    details=thread_details,
    copied=_copied,
    opens=lambda row, scope: attrs.evolve(scope, pid=row.pid or None, tid=row.tid),
)
