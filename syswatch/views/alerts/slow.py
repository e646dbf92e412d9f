"""The alert `slow`: a call that should not wait takes long."""

from collections.abc import Iterator

from syswatch.model.catalog import can_wait
from syswatch.model.slowest import NOTICEABLE_NS
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import duration

from .advice import of_slowness
from .alert import Alert, Rule, Severity
from .culprits import main_of_time

KIND = "slow"
# An average this long is not due to one outlier.
SLOW_AVERAGE_NS = 10_000_000


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    for call in snapshot.calls:
        tally = call.tally
        if not tally.timed or can_wait(call.name):
            continue
        if tally.average_ns >= SLOW_AVERAGE_NS:
            title = f"{call.name} takes {duration(tally.average_ns)} on average"
            yield _alert(snapshot, Severity.WARNING, call.name, title)
        elif call.p99_ns >= NOTICEABLE_NS:
            title = f"{call.name} is slow at times: P99 is {duration(call.p99_ns)}"
            yield _alert(snapshot, Severity.NOTICE, call.name, title)


def _alert(snapshot: Snapshot, severity: Severity, call: str, problem: str) -> Alert:
    culprit = main_of_time(snapshot, call)
    title = f"{problem}, mostly on {culprit.name}" if culprit.name else problem
    why = of_slowness(call)
    return Alert(severity, KIND, title, why, call, path=culprit.path, object=culprit.id)


RULE = Rule(
    KIND,
    (Severity.WARNING, Severity.NOTICE),
    f"The average is {duration(SLOW_AVERAGE_NS)} or more, or P99 is {duration(NOTICEABLE_NS)} or "
    "more (a notice). Calls whose purpose is to wait, such as poll, are excluded.",
    "With fsync and its like, which take as long as the disk does.",
    _find,
)
