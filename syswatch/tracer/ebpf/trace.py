"""One trace, while it goes on."""

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path

import attrs

from syswatch.base.streams import print_message
from syswatch.base.text import inert
from syswatch.machine.processes import raw_comm
from syswatch.model.filters import traced_names
from syswatch.model.messages import Deliver, Ended, Started, TraceOptions
from syswatch.model.process import ProcessInfo
from syswatch.model.times import SECOND_NS
from syswatch.tracer.active_filters import wanted
from syswatch.tracer.control import Control
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.subject import as_command_line, redacted

from .calls import settings_of
from .program import Program
from .reader import Reader
from .scope import Named, Scope
from .selection import select_paths

_BACKEND = "ebpf"
# A whole part of a second, so that what is read belongs to one.
_READ_NS = SECOND_NS // 4
# Whoever has just begun wants to see that it works.
_FIRST_NS = SECOND_NS // 50
# For the command's exit status, once nothing of it runs.
_PATIENCE_S = 10
_LOOK_S = 0.005
# The kernel has no room for more of a name.
_NAME_BYTES = 15
_THE_NAMED = Named()


@attrs.define
class Trace:
    """One trace, while it goes on."""

    program: Program
    reader: Reader
    outbox: Outbox
    control: Control
    scope: Scope
    # Whether the main process is our own child, whose end we are told.
    ours: bool = False
    # The words of a command that we have started.
    command: tuple[str, ...] = ()
    # Those of the named processes, the main one first; readable when the process has ended.
    _pidfds: list[int] = attrs.field(factory=list, init=False)
    _status: int | None = attrs.field(default=None, init=False)
    _sent_ns: int = attrs.field(default=0, init=False)
    _introduced: ProcessInfo = attrs.field(factory=ProcessInfo, init=False)

    @classmethod
    def prepare(
        cls,
        options: TraceOptions,
        outbox: Outbox,
        control: Control,
        scope: Scope = _THE_NAMED,
    ) -> "Trace":
        """Load the program and set it up; it sees nothing yet."""
        names = traced_names(options.trace, machine())
        program = Program.load(settings_of(options, names, scope.number))
        # This tells it who we are: there is nobody to find yet.
        program.look()
        scope.confine(program)
        select_paths(program, options.paths)
        return cls(program, Reader(program, options), outbox, control, scope)

    def take(self, pid: int, parent: int, flags: int = 0) -> None:
        """Follow a process; a ProcessLookupError if it has gone."""
        pidfd = os.pidfd_open(pid)
        self._pidfds.append(pidfd)
        self.reader.main_pid = self.reader.main_pid or pid
        self.program.follow(pidfd, self.reader.records.new(pid, parent, raw_comm(pid)), flags)

    def begin(self) -> None:
        """Let the program see, and find what belongs to the processes that were named."""
        # Before anything runs: a command may ask its parent, who is us, to end.
        self.control.listen()
        self.reader.records.offer()
        # Not before it sees: whoever ended in between would be counted in, and never out.
        self.program.attach()
        self.program.look()

    def follow(self) -> Ended:
        """Trace until the last process has ended, or we are to leave."""
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        poll = select.poll()
        for descriptor in (self.control.fd, read_end, *self._pidfds):
            poll.register(descriptor, select.POLLIN)
        while self.scope.lives(self.program) and not self.control.leave:
            rest_ns = _READ_NS - time.time_ns() % _READ_NS if self._sent_ns else _FIRST_NS
            ready = {fd for fd, _ in poll.poll(rest_ns / 1_000_000)}
            if not ready:
                self._send(time.time_ns())
            for descriptor in ready.intersection(self._pidfds):
                poll.unregister(descriptor)
            if read_end in ready:
                os.read(read_end, 512)
            self._listen()
        return self._ending()

    def introduce(self) -> None:
        """Say who is watched, where that is news."""
        if self.reader.ending is not None:
            return  # Its number may be somebody else's by now.
        process = self.scope.introduce(self.reader.main_pid)
        if self.command and not process.cmdline:
            process = self._as_started(process)
        process = redacted(process, self.reader.redact)
        # One that has ended has a name for a while, and nothing else.
        if process != self._introduced and (process.cmdline or not self._introduced.pid):
            self._introduced = process
            only = wanted(self.reader.options, self.reader.redact)
            self.outbox.say(Started(_BACKEND, process, only=only))

    def _as_started(self, process: ProcessInfo) -> ProcessInfo:
        """Say of a command what is known anyway: it has ended already, or has just begun."""
        known = self._introduced
        return attrs.evolve(
            process,
            comm=known.comm or inert(os.fsencode(Path(self.command[0]).name)[:_NAME_BYTES]),
            cmdline=known.cmdline or as_command_line(b"\0".join(map(os.fsencode, self.command))),
            exe=known.exe or process.exe,
            cwd=known.cwd or process.cwd,
        )

    def finish(self) -> None:
        """Detach, and send the rest, with which all sums are whole."""
        self.program.detach()
        self.outbox.offer(self.reader.read(everything=True))
        if self.reader.options.debug:
            self._diagnose()

    def _diagnose(self) -> None:
        """Say what the program has counted of itself."""
        totals = self.program.totals
        for name in ("taken_in", "unused", "crowded", "unfollowed", "uncounted_paths"):
            print_message(f"{getattr(totals, name):>9} {name}")
        print_message(f"{self.program.misses():>9} left out by the kernel")

    def _listen(self) -> None:
        for word in self.control.words():
            if not (isinstance(word, Deliver) and self._main_lives()):
                # A signal that comes too late is meant for us.
                self.control.leave = True
            elif word.signal in signal.valid_signals():
                # It may be somebody else's by now, who may not be told to end by us.
                with suppress(ProcessLookupError, PermissionError):
                    self._deliver(word.signal)
        if self.control.end_passed_on and not self._main_lives():
            self.control.leave = True

    def _deliver(self, number: int) -> None:
        """Pass a signal to the command, unless it was for our whole group, and so for it."""
        is_of_group = os.getpgid(self.reader.main_pid) == os.getpgrp()
        if not (is_of_group and self.control.was_sent(number)):
            signal.pidfd_send_signal(self._pidfds[0], number)

    def _send(self, now_ns: int) -> None:
        # Less than none has gone by when somebody has put the clock back.
        whole_second = not 0 <= now_ns - self._sent_ns < SECOND_NS
        delta = self.reader.read(everything=whole_second)
        if delta.calls or delta.processes or delta.log or whole_second:
            self.outbox.offer(delta)
        if whole_second:
            self._sent_ns = now_ns
            self.introduce()

    def _main_lives(self) -> bool:
        """Say whether there is somebody to pass a signal on to."""
        if self.ours:
            return self._alive()
        return bool(self._pidfds) and self.reader.ending is None

    def _alive(self) -> bool:
        """Say whether the command is there, and note how it ended."""
        if self._status is None:
            pid, status = os.waitpid(self.reader.main_pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    def _await_status(self) -> None:
        # The kernel counts a task out some time before it can be waited for: it may have to
        # write a core first.  Whoever is told to leave does not wait.
        deadline = time.monotonic() + _PATIENCE_S
        while self.ours and self._alive() and not self.control.leave:
            if time.monotonic() > deadline:
                return
            time.sleep(_LOOK_S)

    def _ending(self) -> Ended:
        self._await_status()
        self.finish()
        status = self._status if self.ours else self.reader.ending
        if status is None:
            return Ended()
        code = os.waitstatus_to_exitcode(status)
        return Ended(exit_signal=-code) if code < 0 else Ended(exit_code=code)
