"""Sudden changes of rate: the newest seconds against the minutes before them."""

from collections.abc import Iterator, Mapping

from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import Moment

from .alert import Alert, Kind, Severity
from .numbers import count

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

Seconds = Mapping[int, Mapping[str, Moment]]

_QUIETER = "Harmless when the work is done or nobody asks for any; else see which call it waits in."
_BUSIER = "Harmless when more was asked of it; without more work it may be a loop of retries."


def rate_changes(snapshot: Snapshot) -> Iterator[Alert]:
    """Compare the rate of every call, and of all together; a trace that is over has no now."""
    if snapshot.done or snapshot.now_ns is None:
        return
    seconds = snapshot.sums.window.seconds
    now = snapshot.now_ns // SECOND_NS
    begin = max(min(seconds, default=now), now - RECENT_S - BEFORE_S)
    length = now - RECENT_S - begin
    if length < LEAST_BEFORE_S:
        return
    recent = _sums(seconds, now - RECENT_S, now)
    before = _sums(seconds, begin, now - RECENT_S)
    for name in sorted(before.keys() | recent.keys()):
        after_s = recent.get(name, 0) / RECENT_S
        before_s = before.get(name, 0) / length
        if change := _change(name, before_s, after_s):
            yield change


def _sums(seconds: Seconds, begin: int, end: int) -> Mapping[str, int]:
    """Return calls by name, with all calls together under an empty name."""
    total = {"": 0}
    for at in range(begin, end):
        for name, moment in seconds.get(at, {}).items():
            total[name] = total.get(name, 0) + moment.count
            total[""] += moment.count
    return total


def _change(name: str, before: float, after: float) -> Alert | None:
    if max(before, after) < LEAST_RATE:
        return None
    subject = name or "All calls together"
    if after >= FACTOR * before:
        how, why = f"rose from {count(before)}/s to {count(after)}/s", _BUSIER
    elif before >= FACTOR * after:
        how, why = f"fell from {count(before)}/s to {count(after)}/s", _QUIETER
    else:
        return None
    severity = Severity.NOTICE if name else Severity.WARNING
    return Alert(severity, Kind.RATE, f"{subject} {how}", why, name)
