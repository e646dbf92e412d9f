"""Handling of the calls that need more than their times."""

import time

import attrs

from syswatch.machine.proc import comm_of
from syswatch.tracer.errnos import errno_name

from .abi import read_arguments
from .calls import CallKind, CallTable, Effect
from .placement import Placement
from .recorder import Recorder
from .seccomp import PR_SET_SECCOMP, SECCOMP_SET_MODE_FILTER
from .selection import Selection
from .threads import NO_CALL, Process, Thread

_PR_SET_NAME = 15
# The first argument of a call that installs a filter.
_FILTERING = {"prctl": PR_SET_SECCOMP, "seccomp": SECCOMP_SET_MODE_FILTER}


@attrs.define
class Observer:
    """Handles calls with effects, and calls that are selected by more than their names."""

    recorder: Recorder
    selection: Selection
    placement: Placement
    follow_children: bool = True
    # Whether a traced process has installed a seccomp filter of its own.
    found_filter: bool = attrs.field(default=False, init=False)

    def begin(self, thread: Thread, call: CallKind) -> None:
        """Handle the entry to a call."""
        if thread.special:
            self._check_restart(thread, call)
        thread.selected = self.selection.admits_arguments(thread, call)
        effect = call.effect
        if effect is Effect.CLONE:
            thread.child_reported = False
        if effect is Effect.AFFINITY:
            self.placement.restore_affinity(thread, read_arguments(thread.entry)[0])
        if effect is Effect.EXIT:
            self.placement.add_ended(thread.process)
        if not call.traced or not thread.selected:
            return
        if effect is Effect.OPEN:
            thread.path = self.recorder.path(thread, call)
        if effect is Effect.EXIT:
            thread.entered_ns = time.monotonic_ns()
            self.show_unfinished(thread, call)

    def finish(
        self,
        thread: Thread,
        call: CallKind,
        result: int,
        failed: bool,  # noqa: FBT001
        now_ns: int,
    ) -> None:
        """Handle the exit from a call, and count it if it is selected."""
        if call.effect is not Effect.NONE:
            self._apply_effect(thread, call, result, failed=failed)
        if call.traced and self._is_selected(thread, failed=failed):
            duration_ns = None if thread.untimed else now_ns - thread.entered_ns
            self._count(thread, call, result, failed, duration_ns)
        thread.path = None
        thread.untimed = False
        thread.special = False

    def finish_unknown(
        self,
        thread: Thread,
        calls: CallTable,
        architecture: int,
        result: int,
        failed: bool,  # noqa: FBT001
    ) -> None:
        """Count a call that began before its thread was attached to."""
        number, thread.interrupted = thread.interrupted, NO_CALL
        thread.special = False
        if number == NO_CALL:
            return  # A new thread returns from the clone that created it, which its parent counts.
        call = calls.known[architecture].get(number) or calls.describe(architecture, number)
        if call.traced and self._is_selected(thread, failed=failed):
            self._count(thread, call, result, failed, None)

    def show_unfinished(self, thread: Thread, call: CallKind) -> None:
        """Log a call that ended with its thread."""
        if call.traced and thread.selected and self.selection.admits_unfinished:
            self.recorder.keep_unfinished(thread, call)

    def update_name(self, process: Process) -> None:
        """Read the name of a process again."""
        process.comm = comm_of(process.pid)
        self.recorder.collector.describe(process.pid, comm=process.comm)
        self.recorder.is_renamed |= process.pid == self.recorder.main_pid

    def _check_restart(self, thread: Thread, call: CallKind) -> None:
        # Attaching interrupted a blocked call, and the kernel restarts it: with its own number, or
        # as restart_syscall if it has a timeout.
        if thread.interrupted != NO_CALL:
            thread.untimed = call.number == thread.interrupted or call.effect is Effect.RESTART
            thread.interrupted = NO_CALL
        thread.special = thread.untimed

    def _is_selected(self, thread: Thread, *, failed: bool) -> bool:
        return thread.selected and self.selection.admits_result(failed=failed)

    def _count(
        self,
        thread: Thread,
        call: CallKind,
        result: int,
        failed: bool,  # noqa: FBT001
        duration_ns: int | None,
    ) -> None:
        recorder = self.recorder
        sums = thread.process.sums.get(call) or recorder.new_sums(thread.process, call)
        sums.add(errno_name(result) if failed else "", duration_ns)
        if duration_ns is None:
            recorder.collector.note("untimed_calls")
        if thread.path is not None:
            recorder.collector.count_path(thread.path, failed=failed)
        recorder.keep(thread, call, result, failed)

    def _apply_effect(self, thread: Thread, call: CallKind, result: int, *, failed: bool) -> None:
        if call.effect is Effect.AFFINITY:
            target = read_arguments(thread.entry)[0]
            self.placement.rebind(thread, target)
        if call.effect is Effect.PRCTL and not failed and _renames_process(thread):
            self.update_name(thread.process)
        if call.effect in {Effect.PRCTL, Effect.SECCOMP} and not failed:
            self.found_filter |= _installs_filter(thread, call)
        created = call.effect is Effect.CLONE and result > 0 and not failed
        if created and not thread.child_reported and self.follow_children:
            self.recorder.collector.note("unfollowed_processes")


def _renames_process(thread: Thread) -> bool:
    """Return whether a prctl renames the process: its name is that of its first thread."""
    return read_arguments(thread.entry)[0] == _PR_SET_NAME and thread.tid == thread.process.pid


def _installs_filter(thread: Thread, call: CallKind) -> bool:
    return read_arguments(thread.entry)[0] == _FILTERING[call.plain_name]
