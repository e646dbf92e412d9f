"""
The loop: wait for a stop, handle it, resume the thread.

The traced program waits for this code, so the path of an ordinary call is short, and no object is
created for a call that is only counted.  The table in `states` shows what is done at each stop.
"""

import ctypes
import time
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.model.errnos import errno_name
from syswatch.model.messages import Deliver, Detach, Report
from syswatch.tracer.control import Control

from .abi import (
    INFO_SIZE,
    OP_ENTRY,
    OP_EXIT,
    OP_SECCOMP,
    PTRACE_CONT,
    PTRACE_GET_SYSCALL_INFO,
    PTRACE_SYSCALL,
    event_message,
    has_children,
    ignore_stops,
    listen,
    ptrace,
    read_arguments,
    read_entry,
    read_exit,
    request,
)
from .calls import CallKind, CallTable, Return
from .counting import Count, count_for, object_at_entry
from .detaching import detach_all, detach_stopped, resume_stopped
from .lifecycle import Lifecycle
from .observer import Observer
from .placement import Placement
from .recorder import Recorder
from .signals import Signals
from .states import State
from .stops import SYSCALL_STATUS, Stop, read_status
from .threads import NO_CALL, Thread
from .waiting import Waiting
from .waits import LONG_NS

if TYPE_CHECKING:
    from .diagnostics import Diagnostics

_monotonic_ns = time.monotonic_ns
_ENTRIES = (OP_ENTRY, OP_SECCOMP)


@define
class Loop:
    """Traces threads until the last one has ended or all are detached."""

    lifecycle: Lifecycle
    calls: CallTable
    recorder: Recorder
    observer: Observer
    placement: Placement
    control: Control
    diagnostics: "Diagnostics | None" = None
    _by_tid: dict[int, Thread] = attrs.field(init=False)
    _known: dict[int, dict[int, CallKind]] = attrs.field(init=False)
    _waiting: Waiting = attrs.field(init=False)
    _exit: "ctypes.Array[ctypes.c_char]" = attrs.field(
        factory=lambda: ctypes.create_string_buffer(INFO_SIZE), init=False
    )
    _exit_ref: object = attrs.field(init=False)
    # Whether a seccomp filter selects the calls at which threads stop.
    filtered: bool = attrs.field(default=False, init=False)
    _signals: Signals = attrs.field(init=False)
    # How calls are counted, if that needs more than their durations.
    _count: Count | None = attrs.field(init=False)
    # The request that resumes a thread outside of a call.
    _resume_request: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Keep references for the hot path."""
        self._by_tid = self.lifecycle.threads.by_tid
        self._known = self.calls.known
        if self.diagnostics is None:
            self._waiting = Waiting.for_ordinary(self._by_tid, self._known, self.recorder)
        else:
            self._waiting = Waiting.for_all(self._by_tid)
        self._follow_tables(follow=True)
        self._resume_by(PTRACE_SYSCALL)
        self._choose_count()
        self._signals = Signals(self.lifecycle, self.control)
        self._exit_ref = ctypes.byref(self._exit)

    def filter_calls(self, *, filtered: bool) -> None:
        """Set whether a seccomp filter selects the traced calls."""
        self.filtered = filtered
        self._resume_by(PTRACE_CONT if filtered else PTRACE_SYSCALL)
        self._follow_tables(follow=not filtered)

    def _follow_tables(self, *, follow: bool) -> None:
        """Set whether all calls that change descriptor tables are traced."""
        if self.recorder.activity is not None:
            subjects = self.recorder.activity.subjects
            subjects.follows_tables = follow
            self._waiting.find_paths_by(subjects.paths if follow else None)

    def run(self) -> None:
        """Trace; whatever happens, no thread is left stopped."""
        try:
            self._follow()
            self.observer.record_in_progress(self.lifecycle.threads)
        finally:
            self.placement.release()
            if not self.filtered:
                detach_all(self.lifecycle.threads)

    def _follow(self) -> None:
        ignore_stops()
        by_tid, control = self._by_tid, self.control
        diagnostics = self.diagnostics
        status, wait = self._waiting.status, self._waiting.wait
        tid = 0
        try:
            while by_tid and not control.must_stop:
                tid = wait()
                if diagnostics is not None:
                    thread = by_tid.get(tid)
                    state = State.NEW if thread is None else thread.state
                    diagnostics.stopped(tid, status.value, state)
                if tid < 0:
                    self._interrupted_wait()
                elif status.value == SYSCALL_STATUS:
                    thread = by_tid.get(tid)
                    if thread is None:
                        self._system_call_of_new_thread(tid)
                    elif thread.call is not None:
                        self.leave_call(thread, thread.call)
                    elif ptrace(PTRACE_GET_SYSCALL_INFO, tid, INFO_SIZE, thread.entry_ref) > 0:
                        self.enter_call(thread)
                else:
                    self._other_stop(tid, status.value)
        except BaseException:
            # This stop has been waited for, so it would not be reported again.
            let_go = resume_stopped if self.filtered else detach_stopped
            let_go(tid, status.value)
            raise

    def _resume_by(self, way: int) -> None:
        self._resume_request = way
        self._waiting.resume_by(way)

    def _choose_count(self) -> None:
        self._count = count_for(self.recorder)
        self._waiting.count_by(self._count)

    def _system_call_of_new_thread(self, tid: int) -> None:
        """Add a thread that was not known before this stop."""
        thread = self.lifecycle.adopt(tid)
        if thread is not None:
            self._read_entry_of(thread)

    def enter_call(self, thread: Thread) -> None:
        """Note the entry to a call that the kernel has described, and resume the thread."""
        kind, architecture, number = read_entry(thread.entry)
        if kind not in _ENTRIES:
            self._finish_unknown_call(thread)
            return
        try:
            call = self._known[architecture][number]
        except KeyError:
            call = self.calls.describe(architecture, number)
        thread.call = call
        if call.on_descriptor:
            # Another thread may close the descriptor, and open another file by its number, before
            # the call returns.
            opened = thread.open.get(thread.first.value)
            if opened is None or call.closes_first:
                thread.object = object_at_entry(self.recorder, thread, call)
            else:
                thread.object = opened.object
        if call.prepared or thread.special:
            self._prepare(thread, call)
        if thread.watched and call in thread.watched:
            self.recorder.before_call(thread, call)
        thread.entered_ns = _monotonic_ns()
        request(PTRACE_SYSCALL, thread.tid, 0, 0)

    def _prepare(self, thread: Thread, call: CallKind) -> None:
        """Handle the entry to a call that needs more than its time."""
        if call.handled_at_entry or thread.special:
            self.observer.begin(thread, call)
        if call.commands and read_arguments(thread.entry)[1] in call.commands:
            thread.special = True
        if call.captured:
            self.recorder.capture(thread, call)

    def leave_call(self, thread: Thread, call: CallKind) -> None:
        """Count a call at its exit, and resume the thread."""
        now_ns = _monotonic_ns()
        if ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, self._exit_ref) <= 0:
            return  # It was killed meanwhile; its end will be reported.
        kind, result, failed = read_exit(self._exit)
        if kind != OP_EXIT:
            self._enter_instead(thread)
            return
        recorder, count = self.recorder, self._count
        ended_ns = now_ns
        if now_ns - thread.entered_ns >= LONG_NS and recorder.activity is not None:
            ended_ns = recorder.activity.divide(thread, call, now_ns, self._waiting.late_ns(now_ns))
        thread.calls += 1
        if call.handled_at_exit or thread.special:
            self._leave_special_call(thread, call, result, failed, ended_ns)
        elif count is not None:
            count(recorder, thread, call, result, failed, ended_ns)
        else:
            sums = thread.rows.get(call) or recorder.new_sums(thread, call)
            if failed:
                sums.add(errno_name(result), ended_ns - thread.entered_ns)
            else:
                sums.durations.append(ended_ns - thread.entered_ns)
            if failed or recorder.log_quota > 0:
                recorder.keep_timed(thread, call, sums, Return(result, failed, ended_ns))
        thread.call = None
        if now_ns >= recorder.due_ns:
            thread.at_exit = True
            self._tick()
            thread.at_exit = False
        request(self._resume_request, thread.tid, 0, 0)

    def _leave_special_call(
        self,
        thread: Thread,
        call: CallKind,
        result: int,
        failed: bool,  # noqa: FBT001
        now_ns: int,
    ) -> None:
        """Let the observer count a call that needs more than its time."""
        self.observer.finish(thread, call, Return(result, failed, now_ns))
        if self.observer.found_filter:
            # Calls that another filter refuses do not stop at this one.
            self._resume_by(PTRACE_SYSCALL)

    def _enter_instead(self, thread: Thread) -> None:
        """Begin a call although the exit of the previous one was not reported."""
        thread.call = None
        ctypes.memmove(thread.entry, self._exit, INFO_SIZE)
        self.enter_call(thread)

    def _finish_unknown_call(self, thread: Thread) -> None:
        """Count a call whose entry was not traced."""
        thread.other_stops += 1
        architecture = read_entry(thread.entry)[1]
        self.observer.finish_unknown(
            thread, architecture, Return(*read_exit(thread.entry)[1:], _monotonic_ns())
        )
        request(self._resume_request, thread.tid, 0, 0)

    def _other_stop(self, tid: int, status: int) -> None:
        # While threads stop continuously, the timer never interrupts waitpid.
        if _monotonic_ns() >= self.recorder.due_ns:
            self._tick()
        report = read_status(status)
        if report.stop in (Stop.EXITED, Stop.KILLED):
            self.lifecycle.ended(tid, report, self._waiting.late_ns(_monotonic_ns()))
            return
        thread = self._by_tid.get(tid) or self.lifecycle.adopt(tid)
        if thread is None:
            return
        if report.stop is Stop.SECCOMP and (
            thread.call is None or self._resume_request == PTRACE_CONT
        ):
            self._read_entry_of(thread)
            return
        thread.note_other_stop(_monotonic_ns())
        match report.stop:
            case Stop.GROUP_STOP:
                thread.stopped_since = _monotonic_ns()
                listen(tid)
                return
            case Stop.SIGNAL_DELIVERY:
                self._signals.delivered(thread, report.number)
                self.resume(thread, report.number)
                return
            case Stop.TRAP if thread.interrupted != NO_CALL:
                self.observer.trapped(thread)
            case Stop.NEW_CHILD:
                self.lifecycle.born(thread, event_message(tid))
            case Stop.EXEC:
                thread = self.lifecycle.executed(tid, event_message(tid))
        self.resume(thread, 0)

    def _read_entry_of(self, thread: Thread) -> None:
        if ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, thread.entry_ref) > 0:
            self.enter_call(thread)

    def resume(self, thread: Thread, number: int) -> None:
        """Resume a thread and deliver a signal; within a call, stop again at its exit."""
        way = self._resume_request if thread.call is None else PTRACE_SYSCALL
        request(way, thread.tid, 0, number)

    def _interrupted_wait(self) -> None:
        """Handle an interrupted wait: the timer expired, or there is nothing left to wait for."""
        if not has_children():
            self._by_tid.clear()
        self._tick()

    def _tick(self) -> None:
        """Flush, review the placement and handle messages; called ten times a second."""
        if _monotonic_ns() >= self.recorder.due_ns:
            self.recorder.flush()
            self._choose_count()
            self.placement.review(_monotonic_ns())
        # A large delta is written as the service reads it, not only with the next one.
        if self.recorder.outbox.is_behind:
            self.recorder.outbox.push()
        for message in self.control.messages():
            if isinstance(message, Deliver):
                self._signals.deliver(message.signal)
            elif isinstance(message, Report):
                self.recorder.report()
            elif isinstance(message, Detach):
                self.control.must_stop = True
        if self.control.end_passed_on and not self._signals.main_is_alive:
            self.control.must_stop = True
