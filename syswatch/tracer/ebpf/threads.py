"""What each thread spent its time on, as a sum and as a history."""

from collections.abc import Callable, Iterable

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.threads import OTHER_THREADS, ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, INTERVAL, Timeline
from syswatch.model.times import SECOND_NS

from .account import Account
from .activity import Growth, RowKey
from .activity_layout import FIRST_THREAD
from .progress import Find
from .thread_records import ThreadRecord

_NS_IN_MS = 1_000_000
_ZERO = ThreadTimes()
# Short intervals of more threads would be too much to send.
_MOST_FINE = 64
# A reading may be some time late.
_FEWEST_AVERAGED_S = 2


@define
class History:
    """The times of each thread by interval, since they were last taken."""

    fine: bool = True
    # As they were added: nearly all threads have been read at the same moments.
    _spans: dict[tuple[int, int], dict[int, ThreadTimes]] = attrs.field(factory=dict, init=False)
    _bins: dict[int, dict[int, ThreadTimes]] = attrs.field(factory=dict, init=False)
    _read_ns: int = attrs.field(default=0, init=False)
    # How many seconds were read together: only their average is known.
    _averaged_s: int = attrs.field(default=0, init=False)

    @property
    def bin_ms(self) -> int:
        """The length of an interval."""
        return FINE_MS if self.fine else COARSE_MS

    def add(self, tid: int, times: ThreadTimes, from_ns: int, to_ns: int) -> None:
        """Add times that were spent evenly between two moments, in nanoseconds since 1970."""
        _add(self._spans.setdefault((from_ns, to_ns), {}), tid, times)

    def begin(self, at_ns: int, began_ns: int, threads: int) -> None:
        """
        Note a reading at a time of the monotonic clock.

        From now on, intervals are long if the trace is not short or has many threads.
        """
        seconds = (at_ns - self._read_ns) // SECOND_NS if self._read_ns else 0
        self._read_ns = at_ns
        if seconds >= _FEWEST_AVERAGED_S:
            self._averaged_s += seconds
        if self.fine and (at_ns - began_ns >= FINE_S * SECOND_NS or threads > _MOST_FINE):
            bins = self.take().in_length(COARSE_MS)
            self._bins = {at: dict(threads) for at, threads in bins.items()}
            self.fine = False

    def take(self) -> Timeline:
        """Return what was added since the last time."""
        spans, self._spans = self._spans, {}
        for span, threads in spans.items():
            # Limited first: of a long span, each thread is divided among many intervals.
            for tid, times in INTERVAL.sum(threads, {}).items():
                self._divide(tid, times, *span)
        timeline = Timeline(self._bins, self.bin_ms)
        # The addition limits the number of threads.
        limits = Timeline({at: {} for at in self._bins}, self.bin_ms)
        self._bins = {}
        return limits + timeline

    def take_averaged_s(self) -> int:
        """Return how many seconds were averaged since the last time."""
        averaged_s, self._averaged_s = self._averaged_s, 0
        return averaged_s

    def _divide(self, tid: int, times: ThreadTimes, from_ns: int, to_ns: int) -> None:
        bin_ns = self.bin_ms * _NS_IN_MS
        # What ends with an interval does not touch the next one.
        first, last = from_ns // bin_ns, max(to_ns - 1, from_ns) // bin_ns
        if first == last:
            _add(self._bins.setdefault(first, {}), tid, times)
            return
        begins = [from_ns, *(at * bin_ns for at in range(first + 1, last + 1)), to_ns]
        whole_ns = to_ns - from_ns
        for at, begin in enumerate(begins[:-1]):
            share = begin - from_ns, begins[at + 1] - from_ns
            _add(self._bins.setdefault(first + at, {}), tid, _part(times, *share, whole_ns))


def _add(threads: dict[int, ThreadTimes], tid: int, times: ThreadTimes) -> None:
    threads[tid] = threads[tid] + times if tid in threads else times


def _part(times: ThreadTimes, begin: int, end: int, whole: int) -> ThreadTimes:
    """Return the part of some times between two places; all parts add up to the whole."""

    def part(spent_ns: int) -> int:
        return spent_ns * end // whole - spent_ns * begin // whole

    return ThreadTimes(
        part(times.user_ns),
        part(times.working_ns),
        part(times.ready_ns),
        part(times.stopped_ns),
        {wait: part(spent_ns) for wait, spent_ns in times.waiting.items()},
    )


@define
class Threads:
    """The accounts of all threads."""

    pid_of: Callable[[int], int]
    progress_of: Find
    redact: Callable[[str], str]
    history: History = attrs.field(factory=History)
    _accounts: dict[int, Account] = attrs.field(factory=dict, init=False)
    _tallies: dict[int, ThreadTally] = attrs.field(factory=dict, init=False)
    _names: dict[bytes, str] = attrs.field(factory=dict, init=False)

    def add_calls(self, key: RowKey, wait: Wait, growth: Growth) -> None:
        """Add calls that have ended."""
        if key.thread < FIRST_THREAD:
            self._add_to_others(wait, growth)
            return
        self._account(key.thread, key.process).add(wait, growth)

    def credit(
        self,
        records: Iterable[ThreadRecord],
        at_ns: int,
        looked_ns: int,
        offset_ns: int,
        *,
        is_complete: bool,
    ) -> None:
        """Add the time up to `at_ns`; without `is_complete`, skip blocked threads."""
        for record in records:
            account = self._account(record.number, record.process)
            if account.is_blocked(record):
                if is_complete:
                    self._prolong(account, at_ns, offset_ns)
                continue
            account.tid = record.tid
            account.comm = self.name(record.comm)
            call = self.progress_of(record, looked_ns)
            from_ns = account.until_ns or record.born_ns
            credit = account.credit(record, at_ns, call)
            self._add_tally(account, credit.exact, has_ended=record.has_ended)
            if credit.steady != _ZERO:
                span = from_ns + offset_ns, account.until_ns + offset_ns
                self.history.add(account.tid, credit.steady, *span)

    def _prolong(self, account: Account, at_ns: int, offset_ns: int) -> None:
        span = account.until_ns + offset_ns, at_ns + offset_ns
        times = account.prolong(at_ns)
        self._add_tally(account, times, has_ended=False)
        self.history.add(account.tid, times, *span)

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget threads that have ended, of which everything was read."""
        for number in numbers:
            self._accounts.pop(number, None)

    def take(self) -> tuple[dict[int, ThreadTally], Timeline]:
        """Return what was added since the last time."""
        tallies, self._tallies = self._tallies, {}
        return tallies, self.history.take()

    def name(self, comm: bytes) -> str:
        """Return the name of a thread for people."""
        if comm not in self._names:
            if len(self._names) > _MOST_NAMES:
                self._names.clear()
            self._names[comm] = self.redact(escape_text(comm.partition(b"\0")[0]))
        return self._names[comm]

    def pid(self, record: ThreadRecord) -> int:
        """Return the PID of a thread, even if the record of its process is free by now."""
        return self._account(record.number, record.process).pid

    def _account(self, number: int, process: int) -> Account:
        account = self._accounts.get(number)
        if account is None:
            account = self._accounts[number] = Account(self.pid_of(process))
        return account

    def _add_tally(self, account: Account, times: ThreadTimes, *, has_ended: bool) -> None:
        tally = ThreadTally(
            account.pid, account.comm, times, *account.take_counts(), has_ended=has_ended
        )
        known = self._tallies.get(account.tid)
        self._tallies[account.tid] = known + tally if known else tally

    def _add_to_others(self, wait: Wait, growth: Growth) -> None:
        times = ThreadTimes(
            working_ns=growth.total_ns - growth.waiting_ns - growth.ready_ns,
            ready_ns=growth.ready_ns,
            waiting={wait: growth.waiting_ns} if growth.waiting_ns else {},
        )
        tally = ThreadTally(times=times, calls=growth.calls, errors=growth.errors)
        known = self._tallies.get(OTHER_THREADS)
        self._tallies[OTHER_THREADS] = known + tally if known else tally


_MOST_NAMES = 10_000
