"""
The tracer process: `python -m syswatch.tracer FRAMES CONTROL [SIGNAL...] [FLAG...]`.

It writes frames to the first of the two descriptors, and reads one job from the second.  All other
descriptors belong to the user: a command inherits them, as it inherits the listed signals, which
the user ignores.  With `--without-terminal` the tracer leaves the terminal that it was started on,
and so does a command, because a user interface draws there.  With `--held-back=SIGNAL` a signal is
blocked, so that it cannot end the tracer before it is ready.  With `--events=DESCRIPTOR` every call
is sent to the recorder through that descriptor, and with `--recorder-ready=DESCRIPTOR` the tracing
begins when the recorder has closed its end of that pipe.  A process that is forked knows its job
beforehand; with `--hold` it prepares a command, but runs it when the job arrives.  With
`--messages=DESCRIPTOR` messages for people are printed there: standard error belongs to the command
alone.
"""

import gc
import os
import select
import signal
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import print_messages_to, replace_closed_streams
from syswatch.model.messages import Attach, Ended, ReadLogs, RunCommand

from .dispositions import ignore_only
from .errors import failure_of
from .outbox import Outbox

if TYPE_CHECKING:
    from syswatch.codec.frames import Message

    from .driver import Driver
    from .event_pipe import EventPipe

# When garbage is looked for: in what is new, and how many times before that is done in the rest.
# With 200 000 objects, this took a tenth of the time to read a log of short processes.
_ROWS = 500_000
_COLLECTIONS = 50
_WITHOUT_TERMINAL = "--without-terminal"
_HELD_BACK = "--held-back="
_EVENTS = "--events="
_RECORDER_READY = "--recorder-ready="
_MESSAGES = "--messages="
HOLD = "--hold"
# These reach whole process groups or services, and are for the service, which decides what they
# mean: Ctrl+C, Ctrl+\, and the signal that saves a recording.
_OF_THE_SERVICE = (signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1)
# Job control suspends the service, and a command.  Without the tracer, a process that was attached
# to would be stuck in its next call, and the present call of a command would not seem to end.
_OF_JOB_CONTROL = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def receive_job(control_fd: int) -> "Message | None":
    """Wait for the job; None if the service ended before it sent one."""
    from syswatch.codec.frames import Decoder

    decoder = Decoder()
    # No more than one message is read: others that follow belong to the trace.
    while data := os.read(control_fd, decoder.missing):
        decoder.receive_data(data)
        for message in decoder.events():
            return message
    return None


def await_recorder(ready_fd: int, control_fd: int) -> None:
    """
    Wait until the recorder is ready, has ended, or the service sends a message.

    Loading its packages takes longer than the first events fit into the pipe.
    """
    select.select([ready_fd, control_fd], [], [])
    os.close(ready_fd)


def has_message(control_fd: int) -> bool:
    """Return whether the service has sent a message or has ended: both mean to stop reading."""
    return bool(select.select([control_fd], [], [], 0)[0])


def set_up(arguments: Sequence[str]) -> tuple[int, int]:
    """Set up signals, descriptors and session; return the descriptors of frames and control."""
    numbers = [int(argument) for argument in arguments if not argument.startswith("--")]
    frames_fd, control_fd, *ignored = numbers
    flags = (_EVENTS, _RECORDER_READY, _MESSAGES)
    others = [number for flag in flags for number in numbers_after(flag, arguments)]
    for number in (frames_fd, control_fd, *others):
        os.set_inheritable(number, False)  # noqa: FBT003  it has no name for it
    for number in numbers_after(_MESSAGES, arguments):
        print_messages_to(number)
    ignore_only(ignored)
    if _WITHOUT_TERMINAL in arguments:
        os.setsid()
    return frames_fd, control_fd


def numbers_after(flag: str, arguments: Sequence[str]) -> list[int]:
    """Return the numbers that were given with a flag."""
    return [int(each.removeprefix(flag)) for each in arguments if each.startswith(flag)]


def event_pipe(arguments: Sequence[str]) -> "EventPipe | None":
    """Return the pipe to the recorder, if there is one."""
    for number in numbers_after(_EVENTS, arguments):
        from .event_pipe import EventPipe

        return EventPipe(number)
    return None


def main(arguments: Sequence[str], job: "Message | None" = None) -> int:
    """Do one job, which is read if it is not given."""
    replace_closed_streams()
    # What is imported stays; rows of a log and their entries come by the thousand, and hold no
    # cycles.
    gc.set_threshold(_ROWS, _COLLECTIONS, _COLLECTIONS)
    frames_fd, control_fd = set_up(arguments)
    held_back = set(numbers_after(_HELD_BACK, arguments))
    tracer = _Tracer(Outbox(frames_fd), control_fd, held_back, event_pipe(arguments))
    if HOLD in arguments and isinstance(job, RunCommand):
        tracer.prepare(job)
    if job is None or HOLD in arguments:
        job = receive_job(control_fd)
    if not isinstance(job, ReadLogs | RunCommand | Attach):
        return 1
    # The calls of a log wait until the recorder takes them, so reading can begin meanwhile.
    if not isinstance(job, ReadLogs):
        for number in numbers_after(_RECORDER_READY, arguments):
            await_recorder(number, control_fd)
    try:
        tracer.do(job)
    except BrokenPipeError:
        return 1  # The service has ended.
    return 0


@define
class _Tracer:
    """One job in this process."""

    outbox: Outbox
    control_fd: int
    # Signals that were blocked before the start.
    held_back: set[int]
    events: "EventPipe | None" = None
    dispositions: dict[int, object] = attrs.field(factory=dict, init=False)
    _prepared: "Driver | None" = attrs.field(default=None, init=False)

    def prepare(self, job: RunCommand) -> None:
        """Prepare a job that may begin later."""
        self._prepared = self._driver(job)
        self._prepared.prepare()

    def do(self, job: ReadLogs | RunCommand | Attach) -> None:
        """Do a job; an error is sent to the service."""
        interrupts = self._take_signals(job)
        debug = not isinstance(job, ReadLogs) and job.options.debug
        try:
            match job:
                case ReadLogs():
                    from .inputs.input_reader import InputReader

                    must_stop = partial(has_message, self.control_fd)
                    InputReader(job, self.outbox, must_stop, events=self.events).run()
                case RunCommand() if interrupts:
                    # It was meant for the command, which it would have ended.
                    self.outbox.finish(Ended(exit_signal=min(interrupts)))
                case RunCommand():
                    (self._prepared or self._driver(job)).run()
                case Attach():
                    self._attach(job)
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001  users get a sentence for any error
            self.outbox.finish(failure_of(error, debug=debug))

    def _take_signals(self, job: ReadLogs | RunCommand | Attach) -> set[int]:
        """Handle signals as a tracer does; return those that arrived before."""
        interrupts: set[int] = self.held_back & signal.sigpending()
        ignored = () if isinstance(job, ReadLogs) else _OF_JOB_CONTROL
        for number in (*_OF_THE_SERVICE, *ignored):
            self.dispositions[number] = signal.signal(number, signal.SIG_IGN)
        kept: set[int] = set()
        if isinstance(job, RunCommand):
            kept = self._of_command
        elif isinstance(job, Attach) and job.wait:
            # While waiting for a name, pending signals are polled.
            kept = self.held_back
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.held_back - interrupts - kept)
        # If the end of children is ignored, the command cannot be waited for.
        self.dispositions[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        return interrupts

    def _attach(self, job: Attach) -> None:
        from .targets import resolve

        target = resolve(job, self._must_stop)
        if target is None:
            self.outbox.finish(Ended())
            return
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.held_back)
        self._driver(target.job, target.group).run()

    @property
    def _of_command(self) -> set[int]:
        """Signals of the terminal that are meant for a command even before it has begun."""
        return self.held_back & {signal.SIGINT, signal.SIGQUIT}

    def _must_stop(self) -> bool:
        return has_message(self.control_fd) or bool(self.held_back & signal.sigpending())

    def _driver(self, job: RunCommand | Attach, group: str = "") -> "Driver":
        from .backend import Context
        from .control import Control
        from .driver import Driver

        context = Context(job, self.outbox, Control(self.control_fd), group, self.events)
        return Driver(context, self.dispositions, self._of_command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
