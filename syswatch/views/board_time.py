"""The parts of the live pages that show where the time went."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import OTHER_THREADS, ThreadTimes
from syswatch.model.times import LONGEST_NS

from . import board_records, object_builders, time_builders, time_records
from .budget.identifiers import object_number
from .budget.idle import Judge, judge_of
from .budget.objects import object_stat, waits_of
from .budget.period import NEVER_MS
from .budget.states import TimeState
from .durations import fine_bars

# More rows than anyone scrolls through, and few enough for a page.
MOST_THREADS = 100
_PERCENTILES = (0.50, 0.95, 0.99)
_UNKNOWN = " "
_USER, _WORKING, _READY, _STOPPED = (
    state.letter
    for state in (TimeState.USER, TimeState.WORKING, TimeState.READY, TimeState.STOPPED)
)


def board_object(
    snapshot: Snapshot, text: str, pid: int | None
) -> board_records.BoardObject | UnsetType | None:
    """Return the object with an ID, None if no call used it, and nothing if no ID is given."""
    if not text:
        return UNSET
    number = object_number(text)
    found = None if number is None else object_stat(snapshot, number, pid)
    if found is None:
        return None
    waits = waits_of(snapshot, found)
    p50, p95, p99 = waits.percentiles(_PERCENTILES, 0, LONGEST_NS)
    return board_records.BoardObject(
        **asdict(object_builders.object_detail(snapshot, found, pid)),
        p50=p50,
        p95=p95,
        p99=p99,
        bars=sorted(fine_bars(waits).items()),
    )


def threads(snapshot: Snapshot, pid: int | None) -> time_records.Threads:
    """Return the busiest threads without their lanes, which are sent in a shorter form."""
    return time_builders.thread_rows(snapshot, pid, limit=MOST_THREADS, since_ms=NEVER_MS)


def lanes(snapshot: Snapshot, pid: int | None, since: int) -> board_records.Lanes:
    """Return the lanes of the busiest threads, from a second on."""
    timeline = snapshot.sums.timeline
    first, end = min(timeline.bins, default=0), max(timeline.bins, default=-1) + 1
    begin = max(since * 1000 // timeline.bin_ms, first)
    shown = [row.tid for row in threads(snapshot, pid).threads if row.tid != OTHER_THREADS]
    return board_records.Lanes(
        pid=pid or 0,
        bin_ms=timeline.bin_ms,
        first=first,
        end=end,
        from_=begin,
        letters=list(_letters(snapshot, shown, range(begin, end)).items()),
    )


def _letters(snapshot: Snapshot, shown: Sequence[int], intervals: range) -> dict[int, str]:
    """Return the letters of the states in which threads were longest in each interval."""
    judge = judge_of(snapshot)
    letters = {tid: [_UNKNOWN] * len(intervals) for tid in shown}
    for at, threads in snapshot.sums.timeline.bins.items():
        if at in intervals:
            for tid in letters.keys() & threads.keys():
                letters[tid][at - intervals.start] = _letter(judge, threads[tid])
    return {tid: "".join(each).rstrip(_UNKNOWN) for tid, each in letters.items()}


def _letter(judge: Judge, times: ThreadTimes) -> str:
    # By letter: the hash of a member of an enumeration takes longer than all else here.
    spent = {
        _USER: times.user_ns,
        _WORKING: times.working_ns,
        _READY: times.ready_ns,
        _STOPPED: times.stopped_ns,
    }
    for wait, spent_ns in times.waiting.items():
        letter = judge(wait).state.letter
        spent[letter] = spent.get(letter, 0) + spent_ns
    longest = max(spent, key=spent.__getitem__)
    return longest if spent[longest] else _UNKNOWN
