"""The details of a process: its calls, where its time went, and its costliest objects."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, align_right
from syswatch.views.budget.budget import budget
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import costliest_objects
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import count, plural

from .parts import pairs, state_rows, time_text, title

_MOST_OBJECTS = 10


def process_details(snapshot: Snapshot, _scope: Scope, pid: int, width: int) -> list[Line]:
    """Return the lines about a process."""
    tally = snapshot.sums.processes.get(pid)
    if tally is None:
        return [[("The process is not known", "dim")]]
    return [
        [(tally.ending or "running", "title" if tally.ending else "live")],
        *pairs(
            {
                "calls": f"{tally.count:,}",
                "errors": f"{tally.errors:,}",
                "in calls": time_text(tally.total_ns),
            },
            width,
        ),
        *_budget(snapshot, pid, width),
        *_objects(snapshot, pid),
    ]


def _budget(snapshot: Snapshot, pid: int, width: int) -> Iterator[Line]:
    found = budget(snapshot, pid)
    states = {state: found.in_state(state) for state in TimeState}
    if any(states.values()):
        about = ", estimated" if found.is_estimated else ""
        threads = plural(found.threads, "thread") if found.threads else "all threads"
        yield from title(f"Where the time of {threads} went{about}")
        yield from state_rows(snapshot, states, width)


def _objects(snapshot: Snapshot, pid: int) -> Iterator[Line]:
    found = costliest_objects(snapshot, pid, _MOST_OBJECTS)
    if found:
        yield from title("Costliest objects")
        yield [("    TIME  WAITING   CALLS  OBJECT", "dim")]
        for each in found:
            yield [
                (align_right(time_text(each.costs.not_idle_ns), 8), "title"),
                (align_right(time_text(each.costs.waiting_ns), 9), ""),
                (align_right(count(each.costs.sums.count), 8), ""),
                (f"  {object_name(each.info)}", ""),
            ]
