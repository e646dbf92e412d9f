"""The command, or the process, that most of the time in one state is due to."""

from collections.abc import Callable, Hashable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTimes

from .scope import known_processes, threads_of

# With a smaller share, it is one of several.
_MAIN = 0.5


@frozen
class Main:
    """A command or a process by name, and how much of the whole time it took."""

    name: str
    spent_ns: int
    whole_ns: int


def main_process(
    snapshot: Snapshot, pid: int | None, part: Callable[[ThreadTimes], int]
) -> Main | None:
    """Return the command with most of a part of the time; if there is one only, the process."""
    spent = _by_process(snapshot, pid, part)
    has_one_command = len({comm for comm, _ in spent}) == 1
    groups: dict[Hashable, list[tuple[str, int]]] = {}
    for comm, number in spent:
        groups.setdefault(number if has_one_command else comm, []).append((comm, number))
    if len(spent) <= 1:
        return None
    main = max(groups.values(), key=lambda group: sum(spent[each] for each in group))
    spent_ns, whole_ns = sum(spent[each] for each in main), sum(spent.values())
    comm, number = main[0]
    if not comm or spent_ns < max(_MAIN * whole_ns, 1):
        return None
    which = f"{len(main):,} processes" if len(main) > 1 else str(number)
    return Main(f"{comm} ({which})", spent_ns, whole_ns)


def _by_process(
    snapshot: Snapshot, pid: int | None, part: Callable[[ThreadTimes], int]
) -> Mapping[tuple[str, int], int]:
    names = known_processes(snapshot)
    spent: dict[tuple[str, int], int] = {}
    for each in threads_of(snapshot, pid).values():
        key = names.get(each.pid) or each.comm, each.pid
        spent[key] = spent.get(key, 0) + part(each.times)
    return spent
