"""A running trace: it reads what the program has counted and passes signals on."""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.machine.memory import release_freed_memory
from syswatch.model.backends import EBPF
from syswatch.model.delta import Delta
from syswatch.model.messages import (
    Deliver,
    Ended,
    Report,
    Reported,
    Resting,
    Watch,
)
from syswatch.model.process import ProcessInfo
from syswatch.model.times import SECOND_NS
from syswatch.tracer.announcement import Announcer
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.subject import as_command_line

from .diagnostics import print_diagnostics
from .following import Following
from .pace import READ_NS, Pace, Part, may_rest
from .program import Program
from .reader import Reader
from .scope import Scope

if TYPE_CHECKING:
    from syswatch.tracer.event_pipe import EventPipe

# The first reading comes early, to show that tracing works.
_FIRST_NS = SECOND_NS // 50
# For the exit status of the command, once none of its processes runs.
_STATUS_TIMEOUT_S = 10
_POLL_S = 0.005
# The kernel cuts longer names.
_NAME_BYTES = 15


@define
class Trace:
    """Processes that are followed by a loaded program."""

    following: Following
    reader: Reader
    outbox: Outbox
    control: Control
    scope: Scope
    # The arguments of the command, if it was started here; its end is reported to this process.
    command: tuple[str, ...] = ()
    program: Program = attrs.field(init=False)
    _status: int | None = attrs.field(default=None, init=False)
    _pace: Pace = attrs.field(init=False)
    # What the service knows about the pace.
    _is_resting: bool = attrs.field(default=False, init=False)
    # When the next reading is due, by the monotonic clock, and whether it is not the first.
    _due_ns: int = attrs.field(default=0, init=False)
    _has_begun: bool = attrs.field(default=False, init=False)
    # Whether what the start has left behind was released.
    _is_trimmed: bool = attrs.field(default=False, init=False)
    _announcer: Announcer = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the announcements."""
        self.program = self.following.program
        options, redact = self.reader.options, self.reader.redact
        self._pace = Pace(is_recorded=self.reader.recording is not None, may_rest=may_rest(options))
        self._announcer = Announcer(EBPF.name, options, self.outbox, redact)

    @classmethod
    def of(
        cls, following: Following, context: Context, scope: Scope, command: tuple[str, ...] = ()
    ) -> "Trace":
        """Return a trace of what is followed, which may have begun."""
        reader = Reader(following, context.options, context.events)
        return cls(following, reader, context.outbox, context.control, scope, command)

    def follow(self) -> None:
        """Read and send until the last process has ended or the trace is stopped."""
        self._due_ns = self.following.began_ns + _FIRST_NS
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        poll = select.poll()
        for descriptor in (self.control.fd, read_end, *self.following.pidfds):
            poll.register(descriptor, select.POLLIN)
        recording = self.reader.recording
        if recording is not None:
            poll.register(recording.wake_fd, select.POLLIN)
        while self.scope.is_alive(self.program) and not self.control.must_stop:
            rest_ns, read = self._next_reading()
            # What is large is written as it is read, not only with the next reading.
            behind = [sender for sender in self._senders() if sender.is_behind]
            for sender in behind:
                poll.register(sender.fd, select.POLLOUT)
            ready = {fd for fd, _ in poll.poll(rest_ns / 1_000_000)}
            for sender in behind:
                poll.unregister(sender.fd)
                sender.push()
            if recording is not None and recording.wake_fd in ready:
                recording.read()
            # What was due already is read even if the rings fill up all the time.
            if not ready or not rest_ns:
                read()
            for descriptor in ready.intersection(self.following.pidfds):
                # How it ended is found by reading.
                self._pace.hurry()
                poll.unregister(descriptor)
            if read_end in ready:
                os.read(read_end, 512)
            self._handle_messages()
        self._await_status()

    def announce(self, process: ProcessInfo) -> None:
        """Send a description of the target, unless it was sent before."""
        if self.command and not process.cmdline:
            process = self._as_started(process)
        self._announcer.announce(process)

    def announce_changes(self) -> None:
        """Describe the target again, unless its PID may have been reused."""
        if self.reader.ending is None:
            self.announce(self.scope.describe(self.following.main_pid))

    def _as_started(self, process: ProcessInfo) -> ProcessInfo:
        """Fill in what is known of a command that has just begun or has ended already."""
        known = self._announcer.process
        return attrs.evolve(
            process,
            comm=known.comm or escape_text(os.fsencode(Path(self.command[0]).name)[:_NAME_BYTES]),
            cmdline=known.cmdline or as_command_line(b"\0".join(map(os.fsencode, self.command))),
            exe=known.exe or process.exe,
            cwd=known.cwd or process.cwd,
        )

    def finish(self) -> Delta:
        """Detach the program and return the rest, with which all sums are complete."""
        if self.reader.recording is not None:
            self.reader.recording.look()
        self.program.detach()
        if self.program.settings.profile:
            self.program.end_calls()
        delta = self.reader.read(everything=True, is_last=True)
        if self.reader.recording is not None:
            self.reader.recording.finish()
        if self.reader.options.debug:
            print_diagnostics(self.program)
        return delta

    def ending(self) -> Ended:
        """Return how the main process ended; known after `finish`."""
        status = self._status if self.command else self.reader.ending
        if status is None:
            return Ended()
        code = os.waitstatus_to_exitcode(status)
        return Ended(exit_signal=-code) if code < 0 else Ended(exit_code=code)

    def _handle_messages(self) -> None:
        for message in self.control.messages():
            if isinstance(message, Report):
                self._report()
            elif isinstance(message, Watch):
                self._watch(message)
            elif not (isinstance(message, Deliver) and self._main_is_alive()):
                # A signal that comes too late for the command is meant for the tracer.
                self.control.must_stop = True
            elif message.signal in signal.valid_signals():
                # Its user may have changed, to one that this process may not send signals to.
                with suppress(ProcessLookupError, PermissionError):
                    self._deliver(message)
        if self.control.end_passed_on and not self._main_is_alive():
            self.control.must_stop = True

    def _deliver(self, message: Deliver) -> None:
        """Pass a signal to the command, unless its process group has received it already."""
        # Compared with when the service received it: this may be much later, at the beginning.
        is_for_group = self.control.coincides(message.signal, message.received_ns)
        is_in_group = os.getpgid(self.following.main_pid) == os.getpgrp()
        if not (is_in_group and is_for_group):
            signal.pidfd_send_signal(self.following.pidfds[0], message.signal)

    def _senders(self) -> "tuple[Outbox | EventPipe, ...]":
        recording = self.reader.recording
        return (self.outbox,) if recording is None else (self.outbox, recording.pipe)

    def _next_reading(self) -> tuple[int, Callable[[], None]]:
        """Return when the next reading is due, from now, and what to read then."""
        send = self._send_due if self._has_begun else self._send_counts
        readings = [(max(self._due_ns - time.monotonic_ns(), 0), send)]
        threads_ns = self.reader.rest_ns()
        if threads_ns is not None:
            readings.append((threads_ns, self.reader.read_threads))
        if self.reader.recording is not None:
            readings.append((self.reader.recording.rest_ns(), self.reader.recording.read))
        return min(readings, key=itemgetter(0))

    def _send_counts(self) -> None:
        """Send the first numbers; everything, which takes longer to read, is due after that."""
        self._has_begun = True
        self.outbox.offer(self.reader.read(everything=False))

    def _send_due(self) -> None:
        self._send(time.time_ns())
        self._due_ns = time.monotonic_ns() + READ_NS - time.time_ns() % READ_NS

    def _send(self, now_ns: int) -> None:
        part = self._pace.choose(now_ns, is_urgent=self._pace.is_resting and self.reader.is_crowded)
        if part is Part.SAMPLES:
            self.reader.drain()
        elif part is Part.SUMS:
            self.outbox.offer(self.reader.read_sums())
        else:
            is_whole = part is Part.EVERYTHING
            delta = self.reader.read(everything=is_whole)
            if is_whole or delta.calls or delta.processes:
                self.outbox.offer(delta)
            self._pace.note(delta, now_ns)
            self._tell_pace()
        if part in {Part.SUMS, Part.EVERYTHING}:
            self.announce_changes()
            self._trim()

    def _trim(self) -> None:
        """Release what loading the program and importing have left, now that numbers were sent."""
        if not self._is_trimmed:
            self._is_trimmed = True
            release_freed_memory()

    def _read_everything(self) -> None:
        delta = self.reader.read(everything=True)
        self.outbox.offer(delta)
        self._pace.note(delta, time.time_ns())
        self._tell_pace()

    def _tell_pace(self) -> None:
        """Send the service a message when resting begins or ends."""
        if self._pace.is_resting != self._is_resting:
            self._is_resting = self._pace.is_resting
            self.outbox.send_in_order(Resting(self._is_resting))

    def _watch(self, message: Watch) -> None:
        """Read at once what a client begins to look at."""
        self._pace.is_watched = message.is_watched
        if self._is_resting:
            self._read_everything()
        else:
            self._tell_pace()

    def _report(self) -> None:
        """Send everything that was counted until now."""
        self._read_everything()
        recording = self.reader.recording
        sent = recording.pipe.queued_bytes if recording is not None else 0
        self.outbox.send_in_order(Reported(sent))

    def _main_is_alive(self) -> bool:
        """Return whether there is a process to pass a signal to."""
        if self.command:
            return self._command_is_alive()
        return bool(self.following.pidfds) and self.reader.ending is None

    def _command_is_alive(self) -> bool:
        """Return whether the command is running; keep its status if it has ended."""
        if self._status is None:
            pid, status = os.waitpid(self.following.main_pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    def _await_status(self) -> None:
        # A task is counted out some time before it can be waited for, as it may have to write a
        # core file first.  A trace that is to stop does not wait for that.
        deadline = time.monotonic() + _STATUS_TIMEOUT_S
        while self.command and self._command_is_alive() and not self.control.must_stop:
            if time.monotonic() > deadline:
                return
            time.sleep(_POLL_S)
