"""
A tracer that is forked before Twisted is imported.

Both processes go on with what is imported by then, and import the rest at the same time.  The child
begins its job at once, or is held until the job is sent: if something else fails, no command may be
running.
"""

import os
import resource
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.machine.environment import erase_variables, show_command_line
from syswatch.machine.forking import fork_to
from syswatch.model.messages import RunCommand

from .child_streams import ChildStreams
from .inherited import TERMINATION_SIGNALS, Inherited
from .systemd import PRIVATE_VARIABLES, activated_fds

if TYPE_CHECKING:
    from syswatch.codec.frames import Job

    from .early_recorder import EarlyRecorder, Record

# More than the service opens before it has a session.
_FEW_FILES = 64
# What the child is called in lists of processes.
_TITLE = "syswatch.tracer"
# Runs a tracer with the arguments of `python -m syswatch.tracer` and its job; returns its exit
# status.
Trace = Callable[[Sequence[str], "Job"], int]


@define
class EarlyTracer:
    """A child process that no reactor knows yet."""

    pid: int
    # The numbers of its pipes in this process.
    frames_fd: int
    control_fd: int
    # The end of the pipe of calls that is for the recorder; -1 if there is none.
    events_fd: int = -1
    # It waits until the job is sent; otherwise a command may be running.
    is_held: bool = False
    # Its standard streams, if they are not those of this process.
    streams: ChildStreams | None = None
    # What writes the calls, if it has been started as well.
    recorder: "EarlyRecorder | None" = attrs.field(default=None, init=False)
    _has_command: bool = attrs.field(default=False, init=False)
    _is_adopted: bool = attrs.field(default=False, init=False)
    # The termination signals to unblock when there are handlers.
    _held_back: frozenset[signal.Signals] = attrs.field(default=frozenset(), init=False)

    @classmethod
    def start(
        cls,
        job: "Job",
        trace: Trace,
        *,
        is_held: bool = False,
        records: bool = False,
        streams: ChildStreams | None = None,
    ) -> "EarlyTracer | None":
        """
        Start it; return None if it cannot be started.

        If it is held, it prepares a command, and waits for the job to be sent.  With `records`, it
        sends calls to a recorder, for which it may have to wait.  With `streams` of its own, it
        leaves the terminal.
        """
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < _FEW_FILES:
            return None  # The service may fail for that reason, and no command may run then.
        inherited = Inherited.by_this_process()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
        held_back = frozenset(TERMINATION_SIGNALS - before)
        arguments = [
            *map(str, inherited.ignored),
            *(f"--held-back={number}" for number in sorted(held_back)),
            *(["--hold"] if is_held else []),
            *(["--without-terminal"] if streams else []),
        ]

        def run(words: Sequence[str]) -> int:
            if streams is not None:
                streams.enter()
            return trace(words, job)

        tracer = None
        try:
            tracer = cls(*_forked(run, arguments, records=records), is_held, streams)
        except OSError:
            return None  # The second attempt reports why.
        finally:
            if tracer is None or is_held:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if not is_held:
            # Until there are handlers, a signal would end this process, but not the command.
            tracer._held_back = held_back
            tracer._has_command = isinstance(job, RunCommand)
        return tracer

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
        self._is_adopted = True

    def release_signals(self) -> None:
        """Let the termination signals arrive: there are handlers now."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._held_back)

    def close(self) -> None:
        """End a child that has not become part of a session."""
        if self._is_adopted:
            return
        _close_all((self.frames_fd, self.control_fd, self.take_events()))
        # It detaches; some commands keep their tracer.
        if not self._has_command:
            os.waitpid(self.pid, 0)
        if self.recorder is not None:
            self.recorder.close()


def _forked(
    trace: Callable[[Sequence[str]], int], arguments: Iterable[str], *, records: bool
) -> tuple[int, int, int, int]:
    """Start the child; return its PID and the descriptors of frames, control and calls."""
    frames_fd, frames_of_child = os.pipe()
    control_of_child, control_fd = os.pipe()
    events_fd, events_of_child = os.pipe() if records else (-1, -1)
    activated = activated_fds(os.environ)

    def run() -> int:
        _close_all((frames_fd, control_fd, events_fd))
        for number in activated:
            with suppress(OSError):  # The service manager's variables may be wrong.
                os.close(number)
        erase_variables(PRIVATE_VARIABLES)
        show_command_line(_TITLE)
        return trace(
            [
                *map(str, (frames_of_child, control_of_child)),
                *arguments,
                *([f"--events={events_of_child}"] if records else []),
            ]
        )

    try:
        pid = fork_to(run)
    except OSError:
        _close_all((frames_fd, control_fd, events_fd))
        raise
    finally:
        _close_all((frames_of_child, control_of_child, events_of_child))
    return pid, frames_fd, control_fd, events_fd


def _close_all(numbers: Iterable[int]) -> None:
    for number in numbers:
        if number >= 0:
            os.close(number)
