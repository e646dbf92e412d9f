"""Finds whom to attach to, where the user gave a name instead of a number."""

import time
from collections.abc import Callable

import attrs

from syswatch.machine.discover import find
from syswatch.model.messages import Attach

_LOOK_S = 0.25


class AbsentError(Exception):
    """Nobody of that name is here; the text is one sentence for the user."""


def located(job: Attach, must_stop: Callable[[], bool]) -> Attach:
    """Return a job with pids only, after waiting for its container if that is asked for."""
    if not job.container:
        return job
    while True:
        matches = find(job.container)
        if matches:
            return attrs.evolve(job, pids=(*job.pids, matches[0].pid), container="")
        if not job.wait or must_stop():
            raise AbsentError(f"no container or process is called '{job.container}'")
        time.sleep(_LOOK_S)
