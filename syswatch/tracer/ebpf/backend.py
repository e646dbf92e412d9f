"""The two jobs of this tracer, from the first message to the last."""

import os
import traceback
from collections.abc import Iterator, Mapping

from syswatch.machine.capabilities import read_target
from syswatch.model.messages import Attach, Ended, Failed, RunCommand
from syswatch.streams import tell
from syswatch.tracer.control import Control
from syswatch.tracer.filters import FilterError
from syswatch.tracer.identity import AttachError, Identity, comm_of, identify_target, is_dead
from syswatch.tracer.launch import Launch, LaunchError, launch
from syswatch.tracer.outbox import Outbox

from . import layout
from .libbpf import EbpfError
from .scope import Everybody, Group, Named, Scope
from .trace import Trace

_USAGE_ERROR = 2
# Whether a whole control group can be watched, and not only who is in it now.
WATCHES_GROUPS = True


def run_command(
    job: RunCommand, outbox: Outbox, control_fd: int, dispositions: Mapping[int, object]
) -> None:
    """
    Start a command and trace it, with all it starts, to the end of the last.

    `dispositions` are the signal handlers that the tracer was started with.
    """
    try:
        trace = Trace.prepare(job.options, outbox, Control(control_fd))
        trace.ours, trace.command = True, job.argv
        waiting = launch(job, dispositions)
        trace.take(waiting.pid, os.getpid(), comm_of(waiting.pid), layout.WAITING)
        trace.begin()
        waiting.go()
        _await_execve(waiting)
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
    except LaunchError as error:
        outbox.finish(Failed(str(error), error.exit_status))
    except EbpfError as error:
        outbox.finish(Failed(str(error)))
    else:
        _trace(trace, outbox)


def attach(job: Attach, outbox: Outbox, control_fd: int) -> None:
    """Trace what runs already, until it ends or is let go."""
    try:
        trace = Trace.prepare(job.options, outbox, Control(control_fd), _scope(job))
        for identity in _targets(job.pids):
            trace.take(identity.pid, identity.parent, identity.comm)
        trace.begin()
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
    except (AttachError, EbpfError, ProcessLookupError) as error:
        outbox.finish(Failed(str(error)))
    else:
        _trace(trace, outbox)


def _scope(job: Attach) -> Scope:
    if job.everybody:
        return Everybody()
    if not job.group:
        return Named()
    try:
        return Group.at(job.group)
    except OSError as error:
        raise AttachError(f"{job.group}: {error.strerror}") from error


def _targets(numbers: tuple[int, ...]) -> Iterator[Identity]:
    """Yield each process once, whichever of its threads were named."""
    taken: set[int] = set()
    for number in numbers:
        identity = _target(number)
        if identity.pid not in taken:
            taken.add(identity.pid)
            yield identity


def _target(number: int) -> Identity:
    """Return who is to be attached to, if there is anything to see."""
    identity = identify_target(number)
    who = f"process {identity.pid} ({identity.comm})"
    if is_dead(identity.pid):
        raise AttachError(f"{who} has ended already, and only waits for its parent to notice")
    target = read_target(identity.pid)
    if target is not None and target.kernel_thread:
        raise AttachError(f"{who} is a thread of the kernel, which makes no system calls")
    return identity


def _await_execve(waiting: Launch) -> None:
    """Wait until a process has become the command."""
    trouble = waiting.trouble()
    if trouble is not None:
        os.waitpid(waiting.pid, 0)
        raise trouble


def _trace(trace: Trace, outbox: Outbox) -> None:
    """Say who is traced, trace, and say how it ended."""
    ending: Ended | Failed
    trace.introduce()
    try:
        ending = trace.follow()
    except BrokenPipeError:
        ending = Failed("the service has gone")
    except Exception as error:  # noqa: BLE001  whatever it is, the service must hear of it
        if trace.reader.options.debug:
            tell(traceback.format_exc())
        ending = Failed(f"the tracer has failed: {type(error).__name__}: {error}")
    trace.reader.close()
    trace.program.detach()
    outbox.finish(ending)
