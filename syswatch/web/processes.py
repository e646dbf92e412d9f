"""The parameter that limits an answer to one process, and the PID in a request."""

from twisted.web.iweb import IRequest

from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.scope import known_processes

from .errors import unknown_process
from .parameters import IntegerParameter


def process_parameter(name: str) -> IntegerParameter:
    """Return the parameter under the name that an endpoint gives it."""
    return IntegerParameter(
        name, "Return only what concerns the process with this PID.", default=0, minimum=0
    )


def process_of(parameter: IntegerParameter, request: IRequest, snapshot: Snapshot) -> int | None:
    """Return the PID that a request names, or None for all processes."""
    pid = parameter.value(request)
    if not pid:
        return None
    known = known_processes(snapshot)
    if pid not in known:
        raise unknown_process(pid, known)
    return pid
