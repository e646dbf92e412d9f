"""Finding the processes to attach to, by PID or by name."""

import time
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.base.classes import frozen
from syswatch.machine.discover import Match, candidates, find
from syswatch.machine.groups import group_around
from syswatch.model.messages import Attach

from .errors import TargetNotFoundError

_POLL_S = 0.25
_NOT_FOUND = 1
_AMBIGUOUS = 2
# Of more candidates, the rest is counted.
_LISTED = 10


@frozen
class Target:
    """A job that has PIDs only, and the control group that holds all of it, if there is one."""

    job: Attach
    group: str = ""


def resolve(job: Attach, must_stop: Callable[[], bool]) -> Target | None:
    """
    Return the target of a job, after waiting for its names if the job asks for that.

    Returns None if the wait was stopped.
    """
    found: list[Match] = []
    for name in job.names:
        while (match := _only_match(name)) is None:
            if not job.wait:
                raise TargetNotFoundError(
                    f"no container, service or process is named '{name}' (--wait waits for one)",
                    _NOT_FOUND,
                )
            if must_stop():
                return None
            time.sleep(_POLL_S)
        found.append(match)
    pids = (*job.pids, *(match.pid for match in found))
    folder = _folder(found[0]) if len(pids) == len(found) == 1 else None
    return Target(attrs.evolve(job, pids=pids, names=()), str(folder) if folder else job.group)


def _only_match(name: str) -> Match | None:
    """Return the only match of a name, None for no match; an error for several."""
    matches = find(name)
    if not matches:
        return None
    fitting = candidates(matches)
    if len(fitting) == 1:
        return fitting[0]
    listed = [f"{match.pid} ({match.comm}, {match.why})" for match in fitting[:_LISTED]]
    if rest := len(fitting) - len(listed):
        listed.append(f"{rest} more")
    raise TargetNotFoundError(
        f"'{name}' is ambiguous; use one of these PIDs: {'; '.join(listed)}", _AMBIGUOUS
    )


def _folder(match: Match) -> Path | None:
    return group_around(match.pid, match.segment) if match.segment else None
