"""The list of processes, as a tree unless it is sorted by a number."""

from collections.abc import Sequence

from syswatch.base.classes import frozen
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.columns import Column
from syswatch.terminal.ui.details.process import process_details
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import threads
from syswatch.views.column import Place
from syswatch.views.formatting import several
from syswatch.views.process_tree import process_tree

from .cells import number_column, text_column, time_column
from .empty import no_calls


@frozen
class ProcessRow:
    """A process, its place in the tree, and the time of its threads by state."""

    pid: int
    tally: ProcessTally
    depth: int
    rank: int
    busy_ns: int
    blocked_ns: int

    @property
    def name(self) -> str:
        """Its name and PID."""
        comm, lives = self.tally.comm, several(self.tally.lives)
        return f"{comm}[{self.pid}]{lives}" if comm else f"PID {self.pid}{lives}"


def _branch(row: ProcessRow) -> str:
    return ("  " * (row.depth - 1) + "└ " if row.depth else "") + row.name


_COLUMNS: tuple[Column[ProcessRow], ...] = (
    Column(
        "name",
        "PROCESS",
        "Name and PID, below the process that started it",
        Place(20),
        lambda row: (_branch(row), "title" if not row.tally.ending else ""),
        lambda row: row.rank,
        is_number=False,
        most_extra=40,
    ),
    time_column(
        "busy",
        "BUSY",
        "Time of its threads without idle waits",
        Place(7, 2),
        lambda row: row.busy_ns,
    ),
    time_column(
        "waiting",
        "BLOCKED",
        "Time of its threads waiting within work",
        Place(9, 3),
        lambda row: row.blocked_ns,
    ),
    time_column("total", "IN CALLS", "Time in calls", Place(9, 4), lambda row: row.tally.total_ns),
    number_column("calls", "CALLS", "Number of calls", Place(7, 1), lambda row: row.tally.count),
    number_column(
        "errors",
        "ERRORS",
        "Number of failed calls",
        Place(7, 5),
        lambda row: row.tally.errors,
        style="failing",
    ),
    text_column(
        "ending",
        "ENDED",
        "How it ended",
        Place(13, 6),
        lambda row: row.tally.ending,
        style="dim",
        most_extra=10,
    ),
)


def _items(snapshot: Snapshot, scope: Scope) -> Sequence[ProcessRow]:
    busy: dict[int, int] = {}
    blocked: dict[int, int] = {}
    for stat in threads(snapshot):
        pid = stat.tally.pid
        busy[pid] = busy.get(pid, 0) + stat.busy_ns
        blocked[pid] = blocked.get(pid, 0) + stat.in_state(TimeState.BLOCKED)
    tallies = snapshot.sums.processes
    return [
        ProcessRow(pid, tallies[pid], depth, rank, busy.get(pid, 0), blocked.get(pid, 0))
        for rank, (pid, depth) in enumerate(process_tree(tallies))
        if scope.pid in (None, pid)
    ]


def _copied(row: ProcessRow) -> tuple[str, str]:
    numbers = (row.tally.count, row.tally.errors, row.busy_ns, row.blocked_ns)
    return "\t".join(map(str, numbers)), f"{row.name}: calls, errors, busy and blocked time (ns)"


PROCESSES = Listing(
    "processes",
    _COLUMNS,
    "name",
    _items,
    key=lambda row: row.pid,
    text=lambda row: row.name,
    matches=lambda row, text: text in f"{row.name} {row.tally.ending}".casefold(),
    if_empty=no_calls,
    details=process_details,
    copied=_copied,
    opens=lambda row, _scope: Scope(pid=row.pid),
)
