"""The two jobs of this tracer, from the first message to the last."""

import os
import select
import signal
import time
import traceback
from collections.abc import Mapping

import attrs

from syswatch.machine.capabilities import read_target
from syswatch.model.messages import (
    Attach,
    Deliver,
    Ended,
    Failed,
    RunCommand,
    Started,
    TraceOptions,
)
from syswatch.model.process import ProcessInfo
from syswatch.model.times import SECOND_NS
from syswatch.tracer.control import Control
from syswatch.tracer.filters import FilterError, traced_names
from syswatch.tracer.identity import AttachError, Identity, comm_of, identify_target, is_dead
from syswatch.tracer.launch import Launch, LaunchError, launch
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.subject import describe, redacted

from . import layout
from .calls import settings_of
from .library import EbpfError
from .program import Program
from .reader import Reader

_BACKEND = "ebpf"
# A whole part of a second, so that what is read belongs to one.
_READ_NS = SECOND_NS // 4
# For the command's exit status, once nothing of it runs.
_PATIENCE_S = 10
_LOOK_S = 0.005
_USAGE_ERROR = 2


@attrs.define
class _Trace:
    """One trace, while it goes on."""

    program: Program
    reader: Reader
    outbox: Outbox
    control: Control
    # The command, or the first process that was attached to.
    main_pid: int = 0
    # Whether it is our own child, whose end we are told.
    ours: bool = False
    _pidfds: dict[int, int] = attrs.field(factory=dict, init=False)
    _status: int | None = attrs.field(default=None, init=False)
    _sent_ns: int = attrs.field(default=0, init=False)
    _introduced: ProcessInfo = attrs.field(factory=ProcessInfo, init=False)

    @classmethod
    def prepare(cls, options: TraceOptions, outbox: Outbox, control: Control) -> "_Trace":
        program = Program.load(settings_of(options, traced_names(options.trace, machine())))
        return cls(program, Reader(program, options), outbox, control)

    def take(self, pid: int, parent: int, comm: str, flags: int = 0) -> None:
        """Follow a process."""
        self.main_pid = self.main_pid or pid
        self._pidfds[os.pidfd_open(pid)] = pid
        self.program.follow(pid, self.reader.new_record(pid, parent, comm), flags)

    def begin(self) -> None:
        """Let the program see, and find what belongs to the processes that were named."""
        self.reader.offer_records()
        self.program.attach()
        self.program.look()

    def follow(self) -> Ended:
        """Trace until the last process has ended, or we are to leave."""
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        self.control.listen()
        poll = select.poll()
        for descriptor in (self.control.fd, read_end, *self._pidfds):
            poll.register(descriptor, select.POLLIN)
        while self.program.totals.tasks and not self.control.leave:
            rest_ns = _READ_NS - time.time_ns() % _READ_NS
            ready = {fd for fd, _ in poll.poll(rest_ns / 1_000_000)}
            if not ready:
                self._send(time.time_ns())
            for descriptor in ready & self._pidfds.keys():
                poll.unregister(descriptor)
            if read_end in ready:
                os.read(read_end, 512)
            self._listen()
        return self._ending()

    def introduce(self) -> None:
        """Say who is watched, where that is news."""
        process = redacted(describe(self.main_pid), self.reader.redact)
        if process != self._introduced and (process.comm or not self._introduced.pid):
            self._introduced = process
            self.outbox.say(Started(_BACKEND, process))

    def finish(self) -> None:
        """Detach, and send the rest, with which all sums are whole."""
        self.program.detach()
        self.outbox.offer(self.reader.read(paths=True))

    def _listen(self) -> None:
        for word in self.control.words():
            if not isinstance(word, Deliver):
                self.control.leave = True
            elif self._alive() and word.signal in signal.valid_signals():
                os.kill(self.main_pid, word.signal)

    def _send(self, now_ns: int) -> None:
        whole_second = now_ns - self._sent_ns >= SECOND_NS
        delta = self.reader.read(paths=whole_second)
        if delta.calls or delta.processes or delta.log or whole_second:
            self.outbox.offer(delta)
        if whole_second:
            self._sent_ns = now_ns
            self.introduce()

    def _alive(self) -> bool:
        """Say whether the main process is there; one of ours is waited for."""
        if not self.ours:
            return self.main_pid not in self.reader.endings and not is_dead(self.main_pid)
        if self._status is None:
            pid, status = os.waitpid(self.main_pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    def _await_status(self) -> None:
        # The kernel counts a task out some time before it can be waited for: it may have to
        # write a core first.  Whoever is told to leave does not wait.
        deadline = time.monotonic() + _PATIENCE_S
        while self._alive() and self.ours and not self.control.leave:
            if time.monotonic() > deadline:
                return
            time.sleep(_LOOK_S)

    def _ending(self) -> Ended:
        self._await_status()
        self.finish()
        status = self._status if self.ours else self.reader.endings.get(self.main_pid)
        if status is None:
            return Ended()
        code = os.waitstatus_to_exitcode(status)
        return Ended(exit_signal=-code) if code < 0 else Ended(exit_code=code)


def run_command(
    job: RunCommand, outbox: Outbox, control_fd: int, dispositions: Mapping[int, object]
) -> None:
    """
    Start a command and trace it, with all it starts, to the end of the last.

    `dispositions` are the signal handlers that the tracer was started with.
    """
    try:
        trace = _Trace.prepare(job.options, outbox, Control(control_fd))
        trace.ours = True
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
    """Trace processes that run already, until they end or are let go."""
    try:
        trace = _Trace.prepare(job.options, outbox, Control(control_fd))
        taken: set[int] = set()
        for number in job.pids:
            identity = _target(number)
            if identity.pid not in taken:
                taken.add(identity.pid)
                trace.take(identity.pid, identity.parent, identity.comm)
        trace.begin()
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
    except (AttachError, EbpfError, ProcessLookupError) as error:
        outbox.finish(Failed(str(error)))
    else:
        _trace(trace, outbox)


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


def _trace(trace: _Trace, outbox: Outbox) -> None:
    """Say who is traced, trace, and say how it ended."""
    ending: Ended | Failed
    trace.introduce()
    try:
        ending = trace.follow()
    except BrokenPipeError:
        ending = Failed("the service has gone")
    except Exception as error:  # noqa: BLE001  whatever it is, the service must hear of it
        traceback.print_exc()
        ending = Failed(f"the tracer has failed: {type(error).__name__}: {error}")
    trace.reader.close()
    trace.program.detach()
    outbox.finish(ending)
