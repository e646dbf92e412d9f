"""
Decides whether a time has changed.

Times depend on whatever else the machine does, so they are compared on a logarithmic scale, and a
difference counts only if it exceeds what the runs of a side differ by themselves several times.
"""

import math
from collections.abc import Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.model.histogram import Histogram, lower_bound, upper_bound
from syswatch.model.times import LONGEST_NS

from .bands import Band, gap
from .change import Change
from .noise import waits_for_others
from .run import Figure, Kind, Subject

# So many runs on a side show how much a time varies.
_ENOUGH_RUNS = 3
_MS = 1_000_000
# A smaller difference is not worth reporting, however certain it is.
_LEAST_EFFECT_NS = 5 * _MS
# Calls that a tracer stops take some microseconds more, which vary with what else the machine does.
_LEAST_OF_STOPS_NS = 10_000
# By how many times the differences of one side those of both must be exceeded; see `bands`.  More
# than for counts: every call has times, so that many are compared, and one of them is unusual.
_EXTENSIONS = {1: 0.0, 2: 12.0, 3: 6.0, 4: 3.5, 5: 2.5, 6: 2.0}
_OF_MANY = 1.0
# Shorter and longer ones say more about the machine than about the call.
_CENTRE = (0.10, 0.75)


@frozen
class LeastRatio:
    """The least ratio that counts: of sides whose runs show how much they vary, and of others."""

    known: float
    unknown: float

    def log(self, before: Band, after: Band) -> float:
        """Return the logarithm of the ratio that applies."""
        is_known = max(before.runs, after.runs) >= _ENOUGH_RUNS
        return math.log(self.known if is_known else self.unknown)


_LOCAL = ("/", "localhost", "127.", "[::1]")
_SLEEP = Subject(Kind.OBJECT, "sleep")
_TYPICAL = LeastRatio(1.15, 2.0)
_TYPICAL_CALLS = 20
# A call that takes one of several quite different times within a run, as with a busy disk, may take
# any of them in the next run.
_DOUBT = 2.0
# From this ratio on, the machine was slower rather than the call, if most calls have it.
_SLOW_MACHINE = math.log(2)
# So many calls of so many names tell how fast the machine was.
_ENOUGH_NAMES, _ENOUGH_CALLS = 5, 5
_SUMS = LeastRatio(1.5, 5.0)
# A smaller difference of sums is none.
LEAST_SUM_NS = 20 * _MS
_LEAST_SUM_OF_ONE_NS = 2000 * _MS
# The calls of which a percentile of this share is more than a few outliers.
_TAILS = {Figure.P95: 400, Figure.P99: 2000}


def is_sum(figure: Figure) -> bool:
    """Return whether a figure is the sum of times."""
    return figure in (Figure.WORKING, Figure.WAITING, Figure.WALL)


def is_sum_change(change: Change) -> bool:
    """Return whether a sum of times differs by more than a loaded machine explains."""
    before, after = change.before, change.after
    has_runs = min(before.runs, after.runs) >= _ENOUGH_RUNS
    if not has_runs and not _is_of_others(change.subject):
        return False
    if gap(before, after) < (LEAST_SUM_NS if has_runs else _LEAST_SUM_OF_ONE_NS):
        return False
    # One run may have been an exception: the ratio is that of unknown times.
    least = math.log(_SUMS.known if has_runs else _SUMS.unknown)
    sides = [[band.least, band.most] for band in (before, after)]
    logs = [[math.log(max(value, 1)) for value in side] for side in sides]
    return _apart(logs, (before.runs, after.runs)) > least


def _is_of_others(subject: Subject) -> bool:
    """Return whether a wait is for another machine or a timer, rather than for a CPU or disk."""
    if subject.kind is not Kind.PEER:
        return subject == _SLEEP
    # What has no port, or comes from a client, is not an address that was connected to.
    return ":" in subject.name and " " not in subject.name and not subject.name.startswith(_LOCAL)


def is_tail_change(change: Change, calls: int) -> bool:
    """Return whether a high percentile changed; each side needs several runs."""
    before, after = change.before, change.after
    if min(before.runs, after.runs) < _ENOUGH_RUNS or calls < _TAILS[change.figure]:
        return False
    share = 1 - {Figure.P95: 0.95, Figure.P99: 0.99}[change.figure]
    if gap(before, after) * calls * share < _LEAST_EFFECT_NS:
        return False
    logs = [
        [math.log(max(value, 1)) for value in (band.least, band.most)] for band in (before, after)
    ]
    return _apart(logs, (before.runs, after.runs)) > math.log(_SUMS.known)


def is_typical_change(
    change: Change, before: Sequence[Histogram], after: Sequence[Histogram], *, has_stops: bool
) -> bool:
    """Return whether the calls of one name became slower or faster, rather than more or fewer."""
    if waits_for_others(change.subject.name):
        return False
    histograms = (*before, *after)
    calls = min(each.total for each in histograms)
    if calls < _TYPICAL_CALLS or abs(change.difference) * calls < _LEAST_EFFECT_NS:
        return False
    if has_stops and abs(change.difference) < _LEAST_OF_STOPS_NS:
        return False
    logs = [[typical_log(each) for each in side] for side in (before, after)]
    least = _TYPICAL.log(change.before, change.after)
    doubt = _DOUBT * max(max(log_spread(each) for each in histograms) - math.log(2), 0.0)
    return _apart(logs, (len(before), len(after))) > max(least, doubt)


def common_shift(
    before: Sequence[Mapping[str, Histogram]], after: Sequence[Mapping[str, Histogram]]
) -> float:
    """
    Return the logarithm of how much slower most calls are after; 0 unless that is a lot.

    A run on a machine with too much to do, traced with ptrace, can take a thousand times as long.
    """
    runs = (*before, *after)
    names = set(runs[0]).intersection(*runs[1:])
    shifts = [
        _shift([run[name] for run in before], [run[name] for run in after])
        for name in names
        if not waits_for_others(name) and min(run[name].total for run in runs) >= _ENOUGH_CALLS
    ]
    if len(shifts) < _ENOUGH_NAMES:
        return 0.0
    shift = _median(shifts)
    return shift if abs(shift) > _SLOW_MACHINE else 0.0


def is_common(before: Sequence[Histogram], after: Sequence[Histogram], common: float) -> bool:
    """Return whether a call is slower because most calls are."""
    shift = _shift(before, after)
    return shift * common > 0 and abs(shift) < 2 * abs(common)


def _shift(before: Sequence[Histogram], after: Sequence[Histogram]) -> float:
    one, other = (_median(list(map(typical_log, side))) for side in (before, after))
    return other - one


def _median(values: Sequence[float]) -> float:
    ranked = sorted(values)
    return (ranked[len(ranked) // 2] + ranked[(len(ranked) - 1) // 2]) / 2


def _apart(sides: Sequence[Sequence[float]], runs: tuple[int, int]) -> float:
    """Return how far two sides are apart; 0 unless that exceeds the range of each several times."""
    one, other = sides
    apart = max(min(other) - max(one), min(one) - max(other), 0.0)
    ranges = (
        (max(side) - min(side)) * _EXTENSIONS.get(number, _OF_MANY)
        for side, number in zip(sides, runs, strict=True)
    )
    return apart if apart > max(ranges) else 0.0


def typical_log(histogram: Histogram) -> float:
    """
    Return the logarithm of the typical duration.

    It is the mean of the logarithms of those around the median: a percentile alone jumps between
    buckets, and from one to the other of two usual durations.
    """
    total = histogram.total
    first, last = (share * total for share in _CENTRE)
    weights = 0.0
    sums = 0.0
    passed = 0
    for bucket in sorted(histogram.counts):
        count = histogram.counts[bucket]
        inside = min(passed + count, last) - max(passed, first)
        passed += count
        if inside > 0:
            weights += inside
            sums += inside * math.log(max((lower_bound(bucket) + upper_bound(bucket)) / 2, 1))
    return sums / weights if weights else 0.0


def log_spread(histogram: Histogram) -> float:
    """Return by how much the quarter of the slowest calls exceeds that of the fastest."""
    fast, slow = histogram.percentiles((0.25, 0.75), 1, LONGEST_NS)
    return math.log(slow / fast) if fast else 0.0
