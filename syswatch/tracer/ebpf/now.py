"""What each thread is doing at the moment."""

from collections.abc import Iterable

import attrs

from syswatch.base.classes import define
from syswatch.model.now import Doing, Now, ThreadNow

from . import activity_layout as layout
from .printer import Printer
from .progress import Find
from .thread_records import ThreadRecord
from .threads import Threads

# How many calls that have begun get their arguments printed in one reading; the others follow.
_MOST_PRINTED = 100


@define
class Present:
    """Describes the threads; arguments are only printed when a call has begun."""

    progress_of: Find
    threads: Threads
    printer: Printer
    # By record: when the call began, and its arguments.
    _printed: dict[int, tuple[int, str]] = attrs.field(factory=dict, init=False)
    # How many more are printed in this reading.
    _unprinted: int = attrs.field(default=0, init=False)

    def describe(
        self, records: Iterable[ThreadRecord], at_ns: int, looked_ns: int, offset_ns: int
    ) -> Now:
        """Return what each thread does; times are monotonic, `offset_ns` makes dates of them."""
        before, self._printed = self._printed, {}
        self._unprinted = _MOST_PRINTED
        threads = {
            record.tid: self._thread(record, before, looked_ns, offset_ns)
            for record in records
            if not record.has_ended
        }
        return Now(at_ns + offset_ns, threads)

    def _thread(
        self,
        record: ThreadRecord,
        before: dict[int, tuple[int, str]],
        looked_ns: int,
        offset_ns: int,
    ) -> ThreadNow:
        pid, comm = self.threads.pid(record), self.threads.name(record.comm)
        call = self.progress_of(record, looked_ns)
        if call is None:
            return ThreadNow(pid, comm, _doing(record))
        known = before.get(record.number)
        if known is not None and known[0] == call.began_ns:
            self._printed[record.number] = known
        elif self._unprinted:
            self._unprinted -= 1
            args = self.printer.in_progress(call.call, call.arguments, record.tid)
            self._printed[record.number] = call.began_ns, args
        return ThreadNow(
            pid=pid,
            comm=comm,
            doing=Doing.IN_CALL,
            call=call.wait.call,
            since_ns=call.began_ns + offset_ns if call.began_ns else None,
            waits=record.is_off and not record.was_preempted,
            object=call.wait.object,
            args=self._printed.get(record.number, (0, ""))[1],
        )


def _doing(record: ThreadRecord) -> Doing:
    if not record.is_off:
        return Doing.RUNNING
    if record.was_preempted or record.flags & layout.THREAD_RUNNABLE:
        return Doing.READY
    return Doing.STOPPED
