"""The eBPF backend, as the driver uses it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import print_message
from syswatch.machine.capabilities import read_target
from syswatch.machine.groups import has_version_1
from syswatch.machine.proc import Identity, has_ended, thread_ids
from syswatch.model.grouping import Grouping
from syswatch.model.messages import Attach, Ended, RunCommand
from syswatch.model.process import ProcessInfo
from syswatch.tracer.backend import Context
from syswatch.tracer.errors import AttachError
from syswatch.tracer.launch import Launch
from syswatch.tracer.subject import ZOMBIE, cannot_trace, identify_target

from . import layout
from .following import Following
from .loading import import_trace, load
from .scope import ControlGroup, NamedProcesses, Scope, WholeMachine

if TYPE_CHECKING:
    from syswatch.model.delta import Delta

    from .trace import Trace

# Their folder may only be opened by their owner, and what it contains is checked as by ptrace.
_UNREADABLE = (
    "note: the descriptors of {} cannot be read: calls that are already in progress are shown with"
    " the number of their descriptor, and pipes without their processes. For processes of other"
    " users, that needs CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH."
)


# What groups are made of that depend on the hierarchy.
_IN_HIERARCHY = frozenset(each.value for each in Grouping if each is not Grouping.PROCESS_NAME)
_HIDDEN = (
    "cannot follow process {}: it is alive, but the kernel shows none of its threads to eBPF"
    " (--backend ptrace does not need that)"
)
_OLDER = (
    "note: this machine controls resources by control groups of version 1; processes are grouped by"
    " those of version 2, in which a container runtime may have put all of them together"
)


@define
class EbpfBackend:
    """Counts in the kernel, with a program on the entry and the exit of every system call."""

    _context: Context
    _scope: Scope = attrs.field(init=False)
    _following: Following = attrs.field(init=False)
    # As it is first described.
    _target: ProcessInfo = attrs.field(init=False)
    _trace: "Trace" = attrs.field(init=False)

    def prepare(self) -> None:
        """Load the program; an EbpfError if the kernel refuses it."""
        context = self._context
        self._scope = _scope(context)
        program = load(context.options, self._scope, records=context.events is not None)
        self._following = Following(program)

    def await_job(self) -> None:
        """Import what reads the maps."""
        import_trace()

    def before_exec(self) -> None:
        """Do nothing: the process is followed by its PID."""

    def hold(self, pid: int) -> None:
        """Follow the process that waits to become the command."""
        self._following.take(pid, os.getpid(), layout.WAITING)
        self._begin()

    def start(self, launch: Launch) -> None:
        """Let the process become the command, and wait until it has."""
        launch.release()
        error = launch.read_error()
        if error is not None:
            os.waitpid(launch.pid, 0)
            raise error
        self._make_trace()

    def attach(self, pids: tuple[int, ...]) -> None:
        """Follow running processes, and what is in the scope."""
        for identity in _targets(pids):
            try:
                self._following.take(identity.pid, identity.parent)
            except ProcessLookupError as error:
                raise AttachError(f"no such process: {identity.pid}") from error
            except OSError as error:
                raise AttachError(
                    f"cannot follow process {identity.pid}: {error.strerror}"
                ) from error
        self._begin()
        # Others are found when they make calls.
        is_named = self._scope.number == layout.NAMED_ONLY
        if is_named and (hidden := self._following.hidden()):
            raise AttachError(_HIDDEN.format(hidden))
        if self._context.options.group_by in _IN_HIERARCHY and has_version_1():
            print_message(_OLDER)
        if self._context.options.objects and self._context.options.mode == "full":
            _print_unreadable(pids)
        self._make_trace()

    def announce(self) -> None:
        """Describe the target to the service."""
        self._trace.announce(self._target)

    def follow(self) -> None:
        """Read and send what is counted, until nothing is left to follow."""
        self._trace.follow()

    def finish(self) -> "Delta":
        """Detach the program; return what has not been sent yet."""
        return self._trace.finish()

    def ending(self) -> Ended:
        """Return how the main process ended."""
        return self._trace.ending()

    def close(self) -> None:
        """Close the ring of wakes; the rest is released when this process ends."""
        self._trace.reader.close()

    def _begin(self) -> None:
        # First: a command may send its parent, the tracer, a signal to end.
        self._context.control.listen()
        self._following.begin()

    def _make_trace(self) -> None:
        # First: the target may end meanwhile.
        self._target = self._scope.describe(self._following.main_pid)
        # Only now: it is followed already, and what reads the maps takes long to import.
        from .trace import Trace

        job = self._context.job
        command = job.argv if isinstance(job, RunCommand) else ()
        self._trace = Trace.of(self._following, self._context, self._scope, command)


create = EbpfBackend


def _scope(context: Context) -> Scope:
    if isinstance(context.job, Attach) and context.job.everybody:
        return WholeMachine()
    if not context.group:
        return NamedProcesses()
    try:
        return ControlGroup.open(context.group)
    except OSError as error:
        raise AttachError(f"{context.group}: {error.strerror}") from error


def _targets(numbers: tuple[int, ...]) -> Iterator[Identity]:
    """Yield each process once, whichever of its threads were named."""
    yielded: set[int] = set()
    for number in numbers:
        identity = _target(number)
        if identity.pid not in yielded:
            yielded.add(identity.pid)
            yield identity


def _print_unreadable(pids: tuple[int, ...]) -> None:
    """Name the processes with descriptors that this user may not read; few objects need that."""
    unreadable = ", ".join(str(pid) for pid in pids if not _is_readable(pid))
    if unreadable:
        print_message(_UNREADABLE.format(unreadable))


def _is_readable(pid: int) -> bool:
    try:
        next(Path(f"/proc/{pid}/fd").iterdir(), None)
    except PermissionError:
        return False
    except OSError:
        pass  # It has ended.
    return True


def _target(number: int) -> Identity:
    """Return the process to attach to, if it makes system calls."""
    identity = identify_target(number)
    # A process outlives its first thread, if it has others.
    if all(map(has_ended, thread_ids(identity.pid))):
        raise AttachError(cannot_trace(identity, ZOMBIE))
    target = read_target(identity.pid)
    if target is not None and target.kernel_thread:
        raise AttachError(cannot_trace(identity, "it is a kernel thread"))
    return identity
