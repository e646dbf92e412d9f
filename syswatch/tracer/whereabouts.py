"""Finds whom to attach to, where the user gave a name instead of a number."""

import time
from collections.abc import Callable
from pathlib import Path

import attrs

from syswatch.machine.discover import find
from syswatch.machine.groups import group_around
from syswatch.model.messages import Attach

_LOOK_S = 0.25


class AbsentError(Exception):
    """Nobody of that name is here; the text is one sentence for the user."""


def located(job: Attach, must_stop: Callable[[], bool]) -> tuple[Attach, Path | None] | None:
    """
    Return a job with pids only, after waiting for its container if that is asked for.

    If the name is that of a control group, its folder is returned beside it; None stands for a
    wait that was broken off.
    """
    if not job.container:
        return job, None
    while True:
        matches = find(job.container)
        if matches:
            first, *_ = matches
            folder = group_around(first.pid, first.segment) if first.segment else None
            return attrs.evolve(job, pids=(*job.pids, first.pid), container=""), folder
        if not job.wait:
            raise AbsentError(f"no container or process is called '{job.container}'")
        if must_stop():
            return None
        time.sleep(_LOOK_S)


def confined(job: Attach, folder: Path) -> Attach:
    """Return the job of tracing all of a control group, unless others were named as well."""
    return attrs.evolve(job, pids=(), group=str(folder)) if len(job.pids) == 1 else job
