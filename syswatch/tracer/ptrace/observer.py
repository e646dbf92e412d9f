"""Handling of the calls that need more than their times."""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import comm_of
from syswatch.model.errnos import errno_name
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.objects.ways import Moved, bytes_moved

from .abi import OP_ENTRY, read_arguments, read_entry, write_entry
from .calls import RESTART_LATER, CallKind, CallTable, Effect, Return
from .counting import leaves_in_place
from .memory import LONGEST_PATH
from .placement import Placement
from .recorder import Finding, Recorder
from .registers import call_that_returned
from .seccomp import PR_SET_SECCOMP, SECCOMP_SET_MODE_FILTER
from .selection import Selection
from .threads import NO_CALL, Process, Thread

if TYPE_CHECKING:
    from .activity import Activity
    from .observed import Observed
    from .rows import Row

_PR_SET_NAME = 15
_ARGUMENTS = 6
# Results from here to -1 are errors.
_LEAST_ERROR = -4095
# The first argument of a call that installs a filter.
_FILTERING = {"prctl": PR_SET_SECCOMP, "seccomp": SECCOMP_SET_MODE_FILTER}


@define
class Observer:
    """Handles calls with effects, and calls that are selected by more than their names."""

    recorder: Recorder
    selection: Selection
    placement: Placement
    calls: CallTable
    follow_children: bool = True
    # Whether a traced process has installed a seccomp filter of its own.
    found_filter: bool = attrs.field(default=False, init=False)

    def begin(self, thread: Thread, call: CallKind) -> None:
        """Handle the entry to a call."""
        if thread.special:
            self._check_restart(thread, call)
        thread.selected = self.selection.admits_arguments(thread, call)
        effect = call.effect
        if effect is Effect.OPEN:
            if call.path_at >= 0 and thread.selected:
                path = read_arguments(thread.entry)[call.path_at]
                thread.given = thread.memory.string(path, LONGEST_PATH)
            return
        activity = self.recorder.activity
        if activity is not None and call.closes_at_once and not call.closes_first:
            activity.closing(thread, call)
        if effect is Effect.EXEC and activity is not None:
            # Afterwards the memory with the path is gone.
            thread.program = activity.subjects.path(thread, call)
        if effect is Effect.CLONE:
            thread.child_reported = False
        if effect is Effect.AFFINITY:
            self.placement.restore_affinity(thread, read_arguments(thread.entry)[0])
        if effect is Effect.EXIT:
            self.placement.add_ended(thread.process)
            thread.entered_ns = time.monotonic_ns()
            if activity is not None:
                # The statistics of a thread that has ended cannot be read.
                activity.settle_thread(thread, thread.entered_ns)
            self.show_unfinished(thread, call)

    def finish(self, thread: Thread, call: CallKind, returned: Return) -> None:
        """Handle the exit from a call, and count it if it is selected."""
        if call.effect is not Effect.NONE and call.effect is not Effect.OPEN:
            self._apply_effect(thread, call, returned)
        activity, observed, number = self.recorder.activity, None, NO_OBJECT
        is_counted = call.traced and self._is_selected(thread, failed=returned.failed)
        if activity is None:
            pass
        elif call.opens_path and activity.subjects.follows_tables:
            number = activity.subjects.paths.opened(thread, call, returned)
        else:
            observed = activity.returned(thread, call, returned)
            if is_counted:
                self._note_others(observed, activity)
            if call.moves_paths:
                activity.subjects.paths.forget()
            if is_counted and call.effect is Effect.EXEC:
                number = thread.program
            elif is_counted:
                number = activity.object_of(observed)
        if is_counted:
            self._count(thread, call, returned, number, observed)
        if returned.result == RESTART_LATER and call.effect is not Effect.RESTART:
            thread.restarted = call
        thread.given = None
        thread.untimed = False
        thread.special = False

    def finish_unknown(self, thread: Thread, architecture: int, returned: Return) -> None:
        """Count a call that began before its thread was attached to."""
        number, thread.interrupted = thread.interrupted, NO_CALL
        thread.special = False
        if number == NO_CALL:
            return  # A new thread returns from the clone that created it, which its parent counts.
        call = self.calls.kind(architecture, number)
        if call.traced and self._is_selected(thread, failed=returned.failed):
            observed, found = None, NO_OBJECT
            if len(thread.arguments) == _ARGUMENTS:
                # The kernel has described the exit only.
                write_entry(thread.entry, 0, OP_ENTRY, architecture, number, *thread.arguments)
                if self.recorder.activity is not None:
                    observed = self.recorder.activity.returned(thread, call, returned)
                    found = self.recorder.activity.object_of(observed)
            thread.untimed = True
            thread.entered_ns = returned.at_ns
            self._count(thread, call, returned, found, observed)
            thread.untimed = False

    def trapped(self, thread: Thread) -> None:
        """Count the call that a thread was in at attach, if it has returned before it stopped."""
        ended = call_that_returned(thread.tid)
        if ended is not None and ended.number == thread.interrupted:
            failed = _LEAST_ERROR <= ended.result < 0
            returned = Return(ended.result, failed, time.monotonic_ns())
            self.finish_unknown(thread, ended.architecture, returned)

    def show_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Log and record a call that ended with its thread."""
        if self._selects_unfinished(thread, call):
            self.recorder.keep_unfinished(thread, call)
            self.recorder.record_unfinished(thread, call)

    def record_in_progress(self, threads: Iterable[Thread]) -> None:
        """Record the calls that go on when the trace ends."""
        for thread in threads:
            call = thread.call
            # Calls that do not return have been recorded at their entry.
            if call is None or call.effect is Effect.EXIT:
                continue
            if self._selects_unfinished(thread, call):
                self.recorder.record_unfinished(thread, call)

    def update_name(self, process: Process) -> None:
        """Read the name of a process again."""
        process.comm = comm_of(process.pid)
        self.recorder.collector.describe(process.pid, comm=process.comm)
        self.recorder.is_renamed |= process.pid == self.recorder.main_pid
        if self.recorder.events is not None:
            self.recorder.events.lives.described(process)

    def _check_restart(self, thread: Thread, call: CallKind) -> None:
        # Attaching interrupted a blocked call, and the kernel restarts it: with its own number, or
        # as restart_syscall if it has a timeout.
        if thread.interrupted != NO_CALL:
            thread.untimed = call.number == thread.interrupted or call.effect is Effect.RESTART
            thread.restarted = self.calls.kind(read_entry(thread.entry)[1], thread.interrupted)
            thread.interrupted = NO_CALL
        thread.special = thread.untimed

    def _selects_unfinished(self, thread: Thread, call: CallKind) -> bool:
        return call.traced and thread.selected and self.selection.admits_unfinished

    def _is_selected(self, thread: Thread, *, failed: bool) -> bool:
        return thread.selected and self.selection.admits_result(failed=failed)

    def _count(
        self,
        thread: Thread,
        call: CallKind,
        returned: Return,
        number: int,
        observed: "Observed | None",
    ) -> None:
        """Count a call on an object; `observed` is needed if it may have moved bytes."""
        recorder, activity = self.recorder, self.recorder.activity
        key = (call, number) if call.acts else call
        sums: Any = thread.rows.get(key) or recorder.new_sums(thread, key)
        errno = errno_name(returned.result) if returned.failed else ""
        if thread.untimed:
            sums.add(errno, None)
            recorder.collector.note("untimed_calls")
            if activity is not None and thread.call is not None:  # Its entry was traced.
                activity.untimed_call(thread, call, number, returned.at_ns)
        elif errno:
            sums.add(errno, returned.at_ns - thread.entered_ns)
        else:
            sums.durations.append(returned.at_ns - thread.entered_ns)
        if recorder.evidence is not None:
            recorder.evidence.returned(thread, call, returned.result)
        moved = 0
        if activity is not None and observed is not None and not errno:
            moved = self._add_bytes(thread, sums, observed)
        if thread.given is not None:
            recorder.count_path(call, thread.given, returned.failed)
        if thread.untimed:
            recorder.keep(thread, call, returned, Finding(None, number))
        elif errno or recorder.log_quota > 0 or returned.at_ns - thread.entered_ns >= call.bound_ns:
            recorder.keep_timed(thread, call, sums, returned)
        if recorder.events is not None:
            recorder.events.returned(thread, call, returned, number, moved)

    def _note_others(self, observed: "Observed", activity: "Activity") -> None:
        """Note the second path of a call, or the peers of several messages."""
        thread, call, note = observed.thread, observed.kind, self.recorder.note_object
        if call.plain_name == "sendmmsg":
            activity.subjects.destinations.note(observed, note)
        elif call.target.other_path >= 0:
            number = activity.subjects.paths.second(thread, call)
            if number != NO_OBJECT:
                note(thread, call, number)

    def _add_bytes(self, thread: Thread, row: "Row", observed: "Observed") -> int:
        """Add the bytes that a call has moved to the rows of its objects; return how many."""
        call, activity = observed.kind, self.recorder.activity
        second, moved = call.target.second, call.target.moved
        if not moved or activity is None or leaves_in_place(thread, call):
            return 0
        is_sum = Moved.MESSAGES in moved
        size = observed.message_bytes() if is_sum else bytes_moved(observed.result)
        row.moved += size
        if second >= 0:
            number = activity.subjects.fd_object(thread.tid, observed.signed(second))
            key = (call, number, Moved.OUT)
            written: Any = thread.rows.get(key) or self.recorder.new_sums(thread, key)
            written.moved += size
            if self.recorder.events is not None:
                self.recorder.events.moved(thread, call, number, size)
        return size

    def _apply_effect(self, thread: Thread, call: CallKind, returned: Return) -> None:
        if call.effect is Effect.AFFINITY:
            target = read_arguments(thread.entry)[0]
            self.placement.rebind(thread, target)
        if call.effect is Effect.PRCTL and not returned.failed:
            thread.name = ""
            if _renames_process(thread):
                self.update_name(thread.process)
        if call.effect in (Effect.PRCTL, Effect.SECCOMP) and not returned.failed:
            self.found_filter |= _installs_filter(thread, call)
        created = call.effect is Effect.CLONE and returned.result > 0 and not returned.failed
        if created and not thread.child_reported and self.follow_children:
            self.recorder.collector.note("unfollowed_processes")


def _renames_process(thread: Thread) -> bool:
    """Return whether a prctl renames the process: its name is that of its first thread."""
    return read_arguments(thread.entry)[0] == _PR_SET_NAME and thread.tid == thread.process.pid


def _installs_filter(thread: Thread, call: CallKind) -> bool:
    return read_arguments(thread.entry)[0] == _FILTERING[call.plain_name]
