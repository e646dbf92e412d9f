"""The alert `storm`: a call failed many times within the last minute."""

from collections import Counter
from collections.abc import Iterator

from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import ERROR_WINDOW_S
from syswatch.views.formatting import count

from . import failing
from .alert import Alert, Rule, Severity

KIND = "storm"
# Ten failures per second for a minute: a loop, not an accident.
ENOUGH_ERRORS = 10 * ERROR_WINDOW_S


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    # A program that has just started searches for its files.
    if snapshot.elapsed_ns < ERROR_WINDOW_S * SECOND_NS:
        return
    for call in snapshot.calls:
        # Where most calls fail all the time, that many failures within a minute are no news.
        if call.errors_60s >= ENOUGH_ERRORS and not failing.is_failing(call):
            times = count(call.errors_60s)
            problem = f"{call.name} failed {times} times within a minute"
            yield failing.failure_alert(snapshot, KIND, call, _errno(snapshot, call), problem)


def _errno(snapshot: Snapshot, call: CallStat) -> str:
    """Return the commonest errno of the newest failures, or else of all."""
    newest = Counter(each.errno for each in snapshot.sums.failures.get(call.name, ()))
    return max(newest, key=newest.__getitem__, default=call.tally.top_errno)


RULE = Rule(
    KIND,
    (Severity.WARNING, Severity.NOTICE),
    f"{ENOUGH_ERRORS} failures within the last minute, without an alert of kind {failing.KIND} "
    "on the same call. Not in the first minute.",
    "With an errno that is part of normal work, such as EAGAIN; then it is a notice.",
    _find,
)
