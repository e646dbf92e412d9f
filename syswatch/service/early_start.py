"""
A tracer that is forked first of all.

It imports what every tracer needs while this process parses the command line, and the rest while
this one imports Twisted.  When its job is known it begins at once, or is held until the job is sent
again: if something else fails, no command may be running.
"""

import os
import pickle
import resource
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.streams import write_all
from syswatch.machine.environment import erase_variables, show_command_line
from syswatch.machine.forking import fork_to
from syswatch.model.messages import RunCommand

from .child_streams import ChildStreams
from .inherited import TERMINATION_SIGNALS, Inherited
from .systemd import PRIVATE_VARIABLES, activated_fds

if TYPE_CHECKING:
    from socket import socket

    from syswatch.codec.frames import Job

    from .early_recorder import EarlyRecorder, Record

# More than the service opens before it has a session.
_FEW_FILES = 64
# What the child is called in lists of processes.
_TITLE = "syswatch.tracer"
_LENGTH_BYTES = 8
# Runs a tracer with the arguments of `python -m syswatch.tracer` and its job; returns its exit
# status.
Trace = Callable[[Sequence[str], "Job"], int]


@frozen
class _Orders:
    """What the child is told when the command line has been parsed."""

    job: "Job"
    arguments: Sequence[str]
    # Whether it uses streams of its own, and whether it sends calls to a recorder.
    has_streams: bool
    records: bool


@define
class EarlyTracer:
    """A child process that no reactor knows yet."""

    pid: int
    # The numbers of its pipes in this process.
    frames_fd: int
    control_fd: int
    # The end of the pipe of calls that is for the recorder; -1 if there is none.
    events_fd: int
    # Its standard streams, if they are not those of this process.
    streams: ChildStreams | None
    # The signals that the child has to unblock.
    _blocked: frozenset[signal.Signals]
    # It waits until the job is sent; otherwise a command may be running.
    is_held: bool = attrs.field(default=False, init=False)
    # What writes the calls, if it has been started as well.
    recorder: "EarlyRecorder | None" = attrs.field(default=None, init=False)
    # What the server listens on, if that was opened as well.
    ports: "Sequence[socket]" = attrs.field(default=(), init=False)
    _has_begun: bool = attrs.field(default=False, init=False)
    _has_command: bool = attrs.field(default=False, init=False)
    _is_closed: bool = attrs.field(default=False, init=False)
    # The termination signals to unblock when there are handlers.
    _held_back: frozenset[signal.Signals] = attrs.field(default=frozenset(), init=False)

    @classmethod
    def fork(cls, prepare: Callable[[], object], trace: Trace) -> "EarlyTracer | None":
        """Start a child that prepares, and then waits for its job; None if it cannot be started."""
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < _FEW_FILES:
            return None  # The service may fail for that reason, and no command may run then.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
        try:
            forked = _forked(prepare, trace)
        except OSError:
            return None  # The second attempt reports why.
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return cls(*forked, frozenset(TERMINATION_SIGNALS - before))

    def begin(
        self,
        job: "Job",
        *,
        is_held: bool = False,
        records: bool = False,
        has_streams: bool = False,
    ) -> bool:
        """
        Let the child begin its job; return False if it has ended.

        If it is held, it prepares a command, and waits for the job to be sent again.  With
        `records`, it sends calls to a recorder, for which it may have to wait.  With streams of its
        own, it leaves the terminal.
        """
        self.is_held = is_held
        arguments = [
            *map(str, Inherited.by_this_process().ignored),
            *(f"--held-back={number}" for number in sorted(self._blocked)),
            *(["--hold"] if is_held else []),
            *(["--without-terminal"] if has_streams else []),
        ]
        if not records:
            _close_all((self.take_events(),))
        if not has_streams and self.streams is not None:
            self.streams.close()
            self.streams = None
        if not is_held:
            # Until there are handlers, a signal would end this process, but not the command.
            signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
            self._held_back = self._blocked
        orders = pickle.dumps(_Orders(job, arguments, has_streams, records))
        try:
            write_all(self.control_fd, len(orders).to_bytes(_LENGTH_BYTES) + orders)
        except BrokenPipeError:
            self.release_signals()
            return False
        self._has_begun = True
        self._has_command = not is_held and isinstance(job, RunCommand)
        return True

    def start_recorder(self, record: "Record", folder: str) -> None:
        """Start what writes the calls to a directory, if that is possible."""
        from .early_recorder import EarlyRecorder

        self.recorder = EarlyRecorder.start(record, folder, self.events_fd)
        if self.recorder is not None:
            os.close(self.take_events())

    def take_events(self) -> int:
        """Return the descriptor for the recorder, which is closed elsewhere; -1 if it has none."""
        events_fd, self.events_fd = self.events_fd, -1
        return events_fd

    def adopt(self) -> None:
        """Note that its end is waited for elsewhere, and that its pipes are closed there."""
        self._is_closed = True

    def release_signals(self) -> None:
        """Let the termination signals arrive: there are handlers now."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._held_back)

    def close(self) -> None:
        """End a child that has not become part of a session; only the first time counts."""
        if self._is_closed:
            return
        self._is_closed = True
        for each in self.ports:
            each.close()
        _close_all((self.frames_fd, self.control_fd, self.take_events()))
        if not self._has_begun:
            # It has nothing that must be left in order, and may still be importing.
            os.kill(self.pid, signal.SIGKILL)
            if self.streams is not None:
                self.streams.close()
        # It detaches; some commands keep their tracer.
        if not self._has_command:
            os.waitpid(self.pid, 0)
        if self.recorder is not None:
            self.recorder.close()


def _forked(prepare: Callable[[], object], trace: Trace) -> tuple[int, int, int, int, ChildStreams]:
    """Start the child; return its PID, the descriptors of frames, control, calls, and streams."""
    fds: list[int] = []
    streams = None
    try:
        for _ in range(3):
            fds += os.pipe()
        frames_fd, frames_of_child, control_of_child, control_fd, events_fd, events_of_child = fds
        streams = own = ChildStreams.open()
        activated = activated_fds(os.environ)

        def run() -> int:
            _close_all((frames_fd, control_fd, events_fd))
            for number in activated:
                with suppress(OSError):  # The service manager's variables may be wrong.
                    os.close(number)
            erase_variables(PRIVATE_VARIABLES)
            show_command_line(_TITLE)
            prepare()
            orders = _receive(control_of_child)
            if orders is None:
                return 1
            if orders.has_streams:
                own.enter()
            else:
                own.close()
            if not orders.records:
                os.close(events_of_child)
            pipes = (frames_of_child, control_of_child)
            events = [f"--events={events_of_child}"] if orders.records else []
            return trace([*map(str, pipes), *orders.arguments, *events], orders.job)

        pid = fork_to(run)
    except OSError:
        _close_all(fds)
        if streams is not None:
            streams.close()
        raise
    _close_all((frames_of_child, control_of_child, events_of_child))
    return pid, frames_fd, control_fd, events_fd, own


def _receive(control_fd: int) -> _Orders | None:
    """Wait for the orders; None if the other process has ended before they were complete."""
    size = int.from_bytes(_read(control_fd, _LENGTH_BYTES))
    data = _read(control_fd, size)
    if not data or len(data) < size:
        return None
    orders: _Orders = pickle.loads(data)  # noqa: S301  from the process that has forked this one
    return orders


def _read(descriptor: int, size: int) -> bytes:
    """Read so many bytes, and no more: others may follow.  It is less if the pipe ends."""
    data = b""
    while len(data) < size and (part := os.read(descriptor, size - len(data))):
        data += part
    return data


def _close_all(numbers: Iterable[int]) -> None:
    for number in numbers:
        if number >= 0:
            os.close(number)
