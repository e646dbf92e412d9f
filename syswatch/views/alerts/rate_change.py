"""The alert `rate`: the newest seconds have many more or fewer calls than the minutes before."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean, median

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import SecondTotals
from syswatch.views.budget.in_progress import in_progress
from syswatch.views.budget.names import object_name
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import count, plural

from .alert import Alert, Rule, Severity

KIND = "rate"
# Long enough that one busy second is no change, short enough to be news.
RECENT_S = 10
# The past to compare with: recent enough to be similar, long enough to be steady.
BEFORE_S = 5 * 60
LEAST_BEFORE_S = 60
# Load doubles and halves all the time; a factor of four is unusual.
FACTOR = 4
# Below this many calls per second, a ratio is noise.
LEAST_RATE = 50
# How many of the calls that changed together are named.
MOST_NAMED = 4

Seconds = Mapping[int, Mapping[str, SecondTotals]]

_FELL = "Harmless when the work is done or no requests are arriving; else see which call waits."
_ROSE = "Harmless when there is more work; otherwise it may be a retry loop."


@frozen
class Change:
    """
    The rate of a call, or of all together, before and now.

    `before` is the median of stretches as long as the newest one: unlike their mean, it stays the
    same while the time after a change becomes a part of them.
    """

    name: str
    before: float
    mean_before: float
    after: float

    @property
    def is_rise(self) -> bool:
        """Return whether there are more calls now."""
        return self.after > self.before

    @property
    def is_sudden(self) -> bool:
        """Return whether it exceeds usual changes, such as those of periodic work."""
        return _differ(self.before, self.after) and _differ(self.mean_before, self.after)

    def __str__(self) -> str:
        """Describe the change."""
        verb = "rose" if self.is_rise else "fell"
        return f"{verb} from {count(self.before)}/s to {count(self.after)}/s"


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    """Compare the rate of every call, and of all together; a trace that has ended has none."""
    if snapshot.done or snapshot.now_ns is None:
        return
    seconds = snapshot.sums.window.seconds
    now = snapshot.now_ns // SECOND_NS
    begin = max(min(seconds, default=now), now - RECENT_S - BEFORE_S)
    starts = range(now - 2 * RECENT_S, begin - 1, -RECENT_S)
    if len(starts) * RECENT_S < LEAST_BEFORE_S:
        return
    recent = _rates(seconds, now - RECENT_S)
    before = [_rates(seconds, start) for start in starts]
    changes = [
        _change(name, before, recent) for name in _ordered(snapshot, set(recent).union(*before))
    ]
    for is_rise in (True, False):
        # When load comes or goes, most calls change at once, and that is one alert.
        if together := [each for each in changes if each.is_sudden and each.is_rise is is_rise]:
            yield _alert(snapshot, together)


def _change(
    name: str, before: Sequence[Mapping[str, float]], recent: Mapping[str, float]
) -> Change:
    rates = [stretch.get(name, 0.0) for stretch in before]
    return Change(name, median(rates), fmean(rates), recent.get(name, 0.0))


def _differ(before: float, after: float) -> bool:
    less, more = sorted((before, after))
    return more >= LEAST_RATE and more >= FACTOR * less


def _ordered(snapshot: Snapshot, names: Collection[str]) -> list[str]:
    """Put all calls together first, then the commonest: an order that does not flicker."""
    places = {call.name: at for at, call in enumerate(snapshot.calls)}
    return sorted(names, key=lambda name: (bool(name), places.get(name, len(places)), name))


def _alert(snapshot: Snapshot, changes: list[Change]) -> Alert:
    """Return one alert for all that rose, or fell."""
    first, *others = changes
    calls = tuple(change.name for change in changes if change.name)
    title = f"{first.name or 'All calls together'} {first}"
    if first.name and others:
        title = f"{title}, and {plural(len(others), 'other call')} just as suddenly"
    why = _ROSE if first.is_rise else f"{_now(snapshot)}{_FELL}"
    if not first.name and calls:
        why = f"Among them: {_listed(calls)}. {why}"
    severity = Severity.NOTICE if first.name else Severity.WARNING
    return Alert(severity, KIND, title, why, first.name, calls=calls)


def _now(snapshot: Snapshot) -> str:
    """Return what the threads are doing, which tells whether they are stuck or without work."""
    threads = in_progress(snapshot)
    blocked = [each for each in threads if each.state is TimeState.BLOCKED]
    if blocked:
        longest = blocked[0]
        place = longest.thread.call
        if longest.thread.object:
            place = f"{place} on {object_name(longest.info)}"
        return f"Blocked now: {len(blocked)} of {plural(len(threads), 'thread')}, in {place}. "
    if threads and all(each.state is TimeState.IDLE for each in threads):
        return f"All threads are idle now: {threads[0].reason}. "
    return ""


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _rates(seconds: Seconds, begin: int) -> Mapping[str, float]:
    """Return calls per second of a stretch by name; the empty name has those of all calls."""
    total = {"": 0}
    for at in range(begin, begin + RECENT_S):
        for name, totals in seconds.get(at, {}).items():
            total[name] = total.get(name, 0) + totals.count
            total[""] += totals.count
    return {name: calls / RECENT_S for name, calls in total.items()}


RULE = Rule(
    KIND,
    (Severity.WARNING, Severity.NOTICE),
    f"The last {RECENT_S} seconds had {FACTOR} times as many calls, or 1/{FACTOR} as many, as "
    f"{RECENT_S} seconds of the {BEFORE_S // 60} minutes before, compared with both median and "
    f"mean, and one of the rates is at least {LEAST_RATE} per second. Calls that change together "
    "are one alert, which is a notice unless it is on all calls together.",
    "When the work is done, or when there is more of it.",
    _find,
)
