"""
The loop: wait for a stop, do what it asks for, let the thread go on.

Everything a traced program does waits for this, so the way of a plain call is short, and nothing
is made for a call that is only counted.
"""

import ctypes
import os
import signal
import time

import attrs

from syswatch.model.messages import Deliver
from syswatch.tracer.control import Control
from syswatch.tracer.errnos import errno_name

from .abi import (
    INFO_SIZE,
    OP_ENTRY,
    OP_EXIT,
    OP_SECCOMP,
    PTRACE_CONT,
    PTRACE_GET_SYSCALL_INFO,
    PTRACE_SYSCALL,
    WALL,
    event_message,
    has_children,
    ignore_stops,
    listen,
    ptrace,
    read_entry,
    read_exit,
    request,
    waitpid,
)
from .calls import CallKind, CallTable
from .diagnostics import Diagnostics
from .letting_go import let_all_go, let_go
from .lifecycle import Lifecycle
from .observer import Observer
from .placement import Placement
from .recorder import Recorder
from .states import State
from .stops import SYSCALL_STATUS, Stop, read_status
from .threads import Thread

_monotonic_ns = time.monotonic_ns


@attrs.define
class Loop:
    """Follows the threads of a lifecycle until the last has ended, or all are let go."""

    lifecycle: Lifecycle
    calls: CallTable
    recorder: Recorder
    observer: Observer
    placement: Placement
    control: Control
    diagnostics: Diagnostics | None = None
    _by_tid: dict[int, Thread] = attrs.field(init=False)
    _status: ctypes.c_int = attrs.field(factory=ctypes.c_int, init=False)
    _exit: "ctypes.Array[ctypes.c_char]" = attrs.field(
        factory=lambda: ctypes.create_string_buffer(INFO_SIZE), init=False
    )
    _exit_ref: object = attrs.field(init=False)
    # With a seccomp filter the kernel stops threads only where it is asked to.
    filtered: bool = attrs.field(default=False, init=False)
    # When the command was last reached by a signal, by its number.
    _reached_ns: dict[int, int] = attrs.field(factory=dict, init=False)
    # How a thread goes on that is in no call.
    _onward: int = attrs.field(default=PTRACE_SYSCALL, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare what every stop needs."""
        self._by_tid = self.lifecycle.threads.by_tid
        self._exit_ref = ctypes.byref(self._exit)

    def filter_calls(self, *, filtered: bool) -> None:
        """Rely on a seccomp filter, or do not."""
        self.filtered = filtered
        self._onward = PTRACE_CONT if filtered else PTRACE_SYSCALL

    def run(self) -> None:
        """Trace; whatever happens, no thread is left behind stopped."""
        try:
            self._follow()
        finally:
            self.placement.release()
            if not self.filtered:
                let_all_go(self.lifecycle.threads)

    def _follow(self) -> None:
        ignore_stops()
        by_tid, control = self._by_tid, self.control
        diagnostics = self.diagnostics
        status, status_ref = self._status, ctypes.byref(self._status)
        tid = 0
        try:
            while by_tid and not control.must_stop:
                tid = waitpid(-1, status_ref, WALL)
                if diagnostics is not None:
                    thread = by_tid.get(tid)
                    state = State.NEW if thread is None else thread.state
                    diagnostics.stopped(tid, status.value, state)
                if tid < 0:
                    self._woken()
                elif status.value == SYSCALL_STATUS:
                    thread = by_tid.get(tid)
                    if thread is None:
                        self._system_call_of_stranger(tid)
                    elif thread.call is not None:
                        self.leave_call(thread, thread.call)
                    elif ptrace(PTRACE_GET_SYSCALL_INFO, tid, INFO_SIZE, thread.entry_ref) > 0:
                        self.enter_call(thread)
                else:
                    self._other_stop(tid, status.value)
        except BaseException:
            # The stop that was looked at has been waited for, so it would not be reported again.
            let_go(tid, status.value)
            raise

    def _system_call_of_stranger(self, tid: int) -> None:
        """Take in a thread whose first stop this is, or was missed: a call that begins."""
        thread = self.lifecycle.adopt(tid)
        if thread is not None:
            self._ask_of_call(thread)

    def enter_call(self, thread: Thread) -> None:
        """Note the beginning of a call and let it go on; the kernel has described it."""
        kind, architecture, number = read_entry(thread.entry)
        if kind not in (OP_ENTRY, OP_SECCOMP):
            self._leave_unknown_call(thread)
            return
        try:
            call = self.calls.known[architecture][number]
        except KeyError:
            call = self.calls.meet(architecture, number)
        thread.call = call
        if call.has_prelude or thread.special:
            self.observer.begin(thread, call)
        if call.captured:
            self.recorder.capture(thread, call)
        thread.entered_ns = _monotonic_ns()
        request(PTRACE_SYSCALL, thread.tid, 0, 0)

    def leave_call(self, thread: Thread, call: CallKind) -> None:
        """Count a call that ends, and let the thread go on."""
        now_ns = _monotonic_ns()
        if ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, self._exit_ref) <= 0:
            return  # Killed since it stopped; its end will be reported.
        kind, result, failed = read_exit(self._exit)
        if kind != OP_EXIT:
            self._enter_instead(thread)
            return
        recorder = self.recorder
        self.placement.calls += 1
        if now_ns >= recorder.due_ns:
            self._tick()
        if call.has_finale or thread.special:
            self.observer.finish(thread, call, result, failed, now_ns)
            if self.observer.has_met_filter:
                # What another filter refuses, ours does not stop.
                self._onward = PTRACE_SYSCALL
        else:
            sums = thread.process.sums.get(call) or recorder.new_sums(thread.process, call)
            if failed:
                sums.add(errno_name(result), now_ns - thread.entered_ns)
            else:
                sums.durations.append(now_ns - thread.entered_ns)
            if failed or recorder.room > 0:
                recorder.keep(thread, call, result, failed)
        thread.call = None
        request(self._onward, thread.tid, 0, 0)

    def _enter_instead(self, thread: Thread) -> None:
        """Begin a call although the one before has not ended: the kernel has dropped its end."""
        thread.call = None
        ctypes.memmove(thread.entry, self._exit, INFO_SIZE)
        self.enter_call(thread)

    def _leave_unknown_call(self, thread: Thread) -> None:
        """Count the end of a call whose beginning nobody saw."""
        architecture, _ = read_entry(thread.entry)[1:]
        self.observer.finish_unseen(thread, self.calls, architecture, *read_exit(thread.entry)[1:])
        request(self._onward, thread.tid, 0, 0)

    def _other_stop(self, tid: int, status: int) -> None:
        # Where threads stop without a break, for signals, waiting is never interrupted.
        if _monotonic_ns() >= self.recorder.due_ns:
            self._tick()
        report = read_status(status)
        if report.stop in (Stop.EXITED, Stop.KILLED):
            self.lifecycle.ended(tid, report)
            return
        thread = self._by_tid.get(tid) or self.lifecycle.adopt(tid)
        if thread is None:
            return
        match report.stop:
            case Stop.SECCOMP if thread.call is None or self._onward == PTRACE_CONT:
                self._ask_of_call(thread)
                return
            case Stop.GROUP_STOP:
                listen(tid)
                return
            case Stop.SIGNAL_DELIVERY:
                if thread.process.pid == self.lifecycle.main_pid:
                    self._reached_ns[report.number] = _monotonic_ns()
                self.resume(thread, report.number)
                return
            case Stop.NEW_CHILD:
                self.lifecycle.born(thread, event_message(tid))
            case Stop.EXEC:
                thread = self.lifecycle.executed(tid, event_message(tid))
        self.resume(thread, 0)

    def _ask_of_call(self, thread: Thread) -> None:
        if ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, thread.entry_ref) > 0:
            self.enter_call(thread)

    def resume(self, thread: Thread, number: int) -> None:
        """Let a thread go on, with a signal; it may be within a call whose end is wanted."""
        way = self._onward if thread.call is None else PTRACE_SYSCALL
        request(way, thread.tid, 0, number)

    def _woken(self) -> None:
        """Find out why waiting ended without a stop: the clock, or there is nothing to wait for."""
        if not has_children():
            self._by_tid.clear()
        self._tick()

    def _tick(self) -> None:
        """Do what is due ten times a second."""
        if _monotonic_ns() >= self.recorder.due_ns:
            self.recorder.flush()
            self.placement.review(_monotonic_ns())
        for message in self.control.messages():
            if isinstance(message, Deliver):
                self._deliver(message.signal)
            else:
                self.control.must_stop = True
        if self.control.end_passed_on and not self._main_lives():
            self.control.must_stop = True

    def _deliver(self, number: int) -> None:
        """
        Pass a signal to the command; one that comes too late for it is meant for us.

        One to our whole group has reached the command already.  If it still waits there, the kernel
        makes one of the two.
        """
        if not self._main_lives():
            self.control.must_stop = True
        elif self.control.coincides(self._reached_ns.get(number, 0)):
            return
        elif number in signal.valid_signals():
            os.kill(self.lifecycle.main_pid, number)

    def _main_lives(self) -> bool:
        return self.lifecycle.main_pid in self.lifecycle.threads.processes
