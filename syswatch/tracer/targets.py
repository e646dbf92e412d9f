"""Finds what to attach to, where the user gave a name instead of a number."""

import time
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.machine.discover import Match, candidates, find
from syswatch.machine.groups import group_around
from syswatch.model.messages import Attach

_LOOK_S = 0.25
_ABSENT = 1
_AMBIGUOUS = 2
# Of more candidates, the rest is counted.
_LISTED = 10


class WhereaboutsError(Exception):
    """A name stands for nothing, or for several things; the text is one sentence for the user."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.exit_status = exit_status


def located(job: Attach, must_stop: Callable[[], bool]) -> tuple[Attach, Path | None] | None:
    """
    Return a job with PIDs only, after waiting for its names if that is asked for.

    If all that is named is a control group, its folder is returned beside it; None stands for a
    wait that was broken off.
    """
    found: list[Match] = []
    for name in job.names:
        while (match := _only(name)) is None:
            if not job.wait:
                raise WhereaboutsError(
                    f"no container, unit or process is named '{name}' (--wait waits for one)",
                    _ABSENT,
                )
            if must_stop():
                return None
            time.sleep(_LOOK_S)
        found.append(match)
    pids = (*job.pids, *(match.pid for match in found))
    folder = _folder(found[0]) if len(pids) == len(found) == 1 else None
    return attrs.evolve(job, pids=pids, names=()), folder


def confined(job: Attach, folder: Path) -> Attach:
    """Return the job of tracing all of a control group."""
    return attrs.evolve(job, pids=(), group=str(folder))


def _only(name: str) -> Match | None:
    """Return what has a name; None where nothing has, an error where several things have."""
    matches = find(name)
    if not matches:
        return None
    fitting = candidates(matches)
    if len(fitting) == 1:
        return fitting[0]
    listed = [f"{match.pid} ({match.comm}, {match.why})" for match in fitting[:_LISTED]]
    if rest := len(fitting) - len(listed):
        listed.append(f"{rest} more")
    raise WhereaboutsError(f"'{name}' is ambiguous, give a PID: {'; '.join(listed)}", _AMBIGUOUS)


def _folder(match: Match) -> Path | None:
    return group_around(match.pid, match.segment) if match.segment else None
