"""The two jobs of this tracer, from the first message to the last."""

import os
import traceback
from collections.abc import Iterator, Mapping

from syswatch.base.streams import print_message
from syswatch.machine.capabilities import read_target
from syswatch.machine.limits import describe_failure
from syswatch.model.messages import Attach, Ended, Failed, RunCommand
from syswatch.tracer.control import Control
from syswatch.tracer.identity import (
    AttachError,
    Identity,
    identify_target,
    is_dead,
    thread_ids,
)
from syswatch.tracer.launch import Launch, LaunchError, launch
from syswatch.tracer.outbox import Outbox

from . import layout
from .libbpf import EbpfError
from .scope import Everybody, Group, Named, Scope
from .trace import Trace

__all__ = ["EbpfError", "attach", "load", "run_command"]


def load(job: RunCommand | Attach, outbox: Outbox, control_fd: int) -> Trace:
    """Load the program for a job; an EbpfError where that is refused, before anything is done."""
    scope = _scope(job) if isinstance(job, Attach) else Named()
    return Trace.prepare(job.options, outbox, Control(control_fd), scope)


def run_command(
    job: RunCommand, trace: Trace, dispositions: Mapping[int, object], notice: str = ""
) -> None:
    """
    Start a command and trace it, with all it starts, to the end of the last.

    `dispositions` are the signal handlers that the tracer was started with.  The user is told the
    notice before the command runs, so that it is not in the middle of what the command writes.
    """
    try:
        trace.ours, trace.command = True, job.argv
        waiting = launch(job, dispositions)
        _take_hold(trace, waiting)
        _tell(notice)
        waiting.go()
        _await_execve(waiting)
    except LaunchError as error:
        trace.outbox.finish(Failed(str(error), error.exit_status))
    except EbpfError as error:
        trace.outbox.finish(Failed(str(error)))
    else:
        _trace(trace)


def attach(job: Attach, trace: Trace, notice: str = "") -> None:
    """Trace what runs already, until it ends or is let go."""
    try:
        for identity in _targets(job.pids):
            _take(trace, identity)
        trace.begin()
    except (AttachError, EbpfError) as error:
        trace.outbox.finish(Failed(str(error)))
    else:
        _tell(notice)
        _trace(trace)


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
    # A process outlives its first thread, if it has others.
    if all(map(is_dead, thread_ids(identity.pid))):
        raise AttachError(f"{who} has ended already, and only waits for its parent to notice")
    target = read_target(identity.pid)
    if target is not None and target.kernel_thread:
        raise AttachError(f"{who} is a thread of the kernel, which makes no system calls")
    return identity


def _take(trace: Trace, identity: Identity) -> None:
    """Follow a process that was named."""
    try:
        trace.take(identity.pid, identity.parent)
    except ProcessLookupError as error:
        raise AttachError(f"there is no process {identity.pid}") from error
    except OSError as error:
        raise AttachError(f"process {identity.pid} cannot be followed: {error.strerror}") from error


def _take_hold(trace: Trace, waiting: Launch) -> None:
    """Follow a process that waits to become the command; if that fails it never will."""
    try:
        trace.take(waiting.pid, os.getpid(), layout.WAITING)
        trace.begin()
    except BaseException:
        waiting.abandon()
        raise


def _await_execve(waiting: Launch) -> None:
    """Wait until a process has become the command."""
    trouble = waiting.trouble()
    if trouble is not None:
        os.waitpid(waiting.pid, 0)
        raise trouble


def _tell(notice: str) -> None:
    if notice:
        print_message(notice)


def _trace(trace: Trace) -> None:
    """Say who is traced, trace, and say how it ended."""
    ending: Ended | Failed
    trace.introduce()
    try:
        ending = trace.follow()
    except BrokenPipeError:
        ending = Failed("the service has gone")
    except Exception as error:  # noqa: BLE001  whatever it is, the service must hear of it
        if trace.reader.options.debug:
            print_message(*traceback.format_exc().splitlines())
        ending = Failed(describe_failure(error))
    trace.reader.close()
    trace.program.detach()
    trace.outbox.finish(ending)
