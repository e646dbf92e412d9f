"""What is done about the calls that need more than a look at the clock."""

import time

import attrs

from syswatch.machine.proc import comm_of
from syswatch.tracer.errnos import errno_name

from .abi import read_arguments
from .calls import CallKind, CallTable, Duty
from .placement import Placement
from .recorder import Recorder
from .seccomp import PR_SET_SECCOMP, SECCOMP_SET_MODE_FILTER
from .selection import Selection
from .threads import NO_CALL, Process, Thread

_PR_SET_NAME = 15
# What the first argument says where a filter is put on.
_FILTERING = {"prctl": PR_SET_SECCOMP, "seccomp": SECCOMP_SET_MODE_FILTER}


@attrs.define
class Observer:
    """The beginning and the end of calls that are not plain."""

    recorder: Recorder
    selection: Selection
    placement: Placement
    follow_children: bool = True
    # Whether a traced process has put a filter of its own on its calls.
    has_met_filter: bool = attrs.field(default=False, init=False)

    def begin(self, thread: Thread, call: CallKind) -> None:
        """Do what must be done before a call goes on."""
        if thread.special:
            self._look_back(thread, call)
        thread.chosen = self.selection.admits_arguments(thread, call)
        duty = call.duty
        if duty is Duty.CLONES:
            thread.announced = False
        if duty is Duty.PLACES:
            self.placement.reveal(thread, read_arguments(thread.entry)[0])
        if duty is Duty.ENDS:
            self.placement.departing(thread.process)
        if not call.traced or not thread.chosen:
            return
        if duty is Duty.OPENS:
            thread.path = self.recorder.path(thread, call)
        if duty is Duty.ENDS:
            thread.entered_ns = time.monotonic_ns()
            self.cut_short(thread, call)

    def finish(
        self,
        thread: Thread,
        call: CallKind,
        result: int,
        failed: bool,  # noqa: FBT001
        now_ns: int,
    ) -> None:
        """Count a call, and do what it obliges to."""
        if call.duty is not Duty.NOTHING:
            self._keep_promises(thread, call, result, failed=failed)
        if call.traced and self._is_wanted(thread, failed=failed):
            duration_ns = None if thread.untimed else now_ns - thread.entered_ns
            self._count(thread, call, result, failed, duration_ns)
        thread.path = None
        thread.untimed = False
        thread.special = False

    def finish_unseen(
        self,
        thread: Thread,
        calls: CallTable,
        architecture: int,
        result: int,
        failed: bool,  # noqa: FBT001
    ) -> None:
        """Count the end of a call that had begun when the tracer came."""
        number, thread.interrupted = thread.interrupted, NO_CALL
        thread.special = False
        if number == NO_CALL:
            return  # A new thread returns from the clone that made it; its maker's return counts.
        call = calls.known[architecture].get(number) or calls.meet(architecture, number)
        if call.traced and self._is_wanted(thread, failed=failed):
            self._count(thread, call, result, failed, None)

    def cut_short(self, thread: Thread, call: CallKind) -> None:
        """Show a call that its thread did not live to see the end of."""
        if call.traced and thread.chosen and self.selection.admits_unfinished:
            self.recorder.keep_unfinished(thread, call)

    def name_anew(self, process: Process) -> None:
        """Take note of the name that a process has now."""
        process.comm = comm_of(process.pid)
        self.recorder.collector.describe(process.pid, comm=process.comm)
        self.recorder.is_renamed |= process.pid == self.recorder.main_pid

    def _look_back(self, thread: Thread, call: CallKind) -> None:
        # A blocked call was interrupted when we came, and the kernel begins it anew: by its own
        # number, or by that of the call which goes on with one that waits for a time.
        if thread.interrupted != NO_CALL:
            thread.untimed = call.number == thread.interrupted or call.duty is Duty.RESUMES
            thread.interrupted = NO_CALL
        thread.special = thread.untimed

    def _is_wanted(self, thread: Thread, *, failed: bool) -> bool:
        return thread.chosen and self.selection.admits_result(failed=failed)

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

    def _keep_promises(self, thread: Thread, call: CallKind, result: int, *, failed: bool) -> None:
        if call.duty is Duty.PLACES:
            target = read_arguments(thread.entry)[0]
            self.placement.conceal(thread, target)
        if call.duty is Duty.CONFIGURES and not failed and _names_process(thread):
            self.name_anew(thread.process)
        if call.duty in {Duty.CONFIGURES, Duty.FILTERS} and not failed:
            self.has_met_filter |= _puts_filter_on(thread, call)
        made_one = call.duty is Duty.CLONES and result > 0 and not failed
        if made_one and not thread.announced and self.follow_children:
            self.recorder.collector.note("unfollowed_processes")


def _names_process(thread: Thread) -> bool:
    """Say whether a prctl names the whole process: its name is that of its first thread."""
    return read_arguments(thread.entry)[0] == _PR_SET_NAME and thread.tid == thread.process.pid


def _puts_filter_on(thread: Thread, call: CallKind) -> bool:
    return read_arguments(thread.entry)[0] == _FILTERING[call.plain_name]
