"""Sudden changes of rate: the newest seconds against the minutes before them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean, median

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import Moment

from .alert import Alert, Kind, Severity
from .numbers import count, plural

# Long enough that one busy second is no change, short enough to be news.
RECENT_S = 10
# What "before" means: recent enough to be comparable, long enough to be calm.
BEFORE_S = 5 * 60
# Without a minute of it there is nothing to compare with.
LEAST_BEFORE_S = 60
# Load doubles and halves all the time; four times is another regime.
FACTOR = 4
# Below this many calls a second, a ratio is noise.
LEAST_RATE = 50

# How many of the calls that changed together are named.
MOST_NAMED = 4

Seconds = Mapping[int, Mapping[str, Moment]]

_QUIETER = "Harmless when the work is done or nobody asks for any; else see which call it waits in."
_BUSIER = "Harmless when more was asked of it; without more work it may be a loop of retries."


@attrs.frozen
class Change:
    """
    The rate of a call, or of all together, before and now.

    Before, that is the median of stretches as long as the newest one: unlike their mean, it stays
    what it was while the time after a change becomes a part of them.
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
        """Return whether it is more than a usual change, such as that of work done now and then."""
        return _differ(self.before, self.after) and _differ(self.mean_before, self.after)

    @property
    def how(self) -> str:
        """Return what has changed, in words."""
        verb = "rose" if self.is_rise else "fell"
        return f"{verb} from {count(self.before)}/s to {count(self.after)}/s"


def rate_changes(snapshot: Snapshot) -> Iterator[Alert]:
    """Compare the rate of every call, and of all together; a trace that is over has no now."""
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
        # When the load comes or goes most calls change at once, and that is one piece of news.
        if together := [each for each in changes if each.is_sudden and each.is_rise is is_rise]:
            yield _alert(together)


def _change(
    name: str, before: Sequence[Mapping[str, float]], recent: Mapping[str, float]
) -> Change:
    rates = [stretch.get(name, 0.0) for stretch in before]
    return Change(name, median(rates), fmean(rates), recent.get(name, 0.0))


def _differ(before: float, after: float) -> bool:
    less, more = sorted((before, after))
    return more >= LEAST_RATE and more >= FACTOR * less


def _ordered(snapshot: Snapshot, names: Collection[str]) -> list[str]:
    """Put all together first, then the commonest: an order that does not change each second."""
    places = {call.name: at for at, call in enumerate(snapshot.calls)}
    return sorted(names, key=lambda name: (bool(name), places.get(name, len(places)), name))


def _alert(changes: list[Change]) -> Alert:
    """Return one alert for all that rose, or fell."""
    first, *others = changes
    calls = tuple(change.name for change in changes if change.name)
    title = f"{first.name or 'All calls together'} {first.how}"
    if first.name and others:
        title = f"{title}, and {plural(len(others), 'other call')} as suddenly"
    why = _BUSIER if first.is_rise else _QUIETER
    if not first.name and calls:
        why = f"Among them: {_listed(calls)}. {why}"
    severity = Severity.NOTICE if first.name else Severity.WARNING
    return Alert(severity, Kind.RATE, title, why, first.name, calls=calls)


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _rates(seconds: Seconds, begin: int) -> Mapping[str, float]:
    """Return calls per second of a stretch by name, all calls together under an empty name."""
    total = {"": 0}
    for at in range(begin, begin + RECENT_S):
        for name, moment in seconds.get(at, {}).items():
            total[name] = total.get(name, 0) + moment.count
            total[""] += moment.count
    return {name: calls / RECENT_S for name, calls in total.items()}
