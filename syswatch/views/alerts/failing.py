"""The alert `failing`: a large share of the calls of one name fails."""

from collections.abc import Iterator

from syswatch.model.snapshot import MOSTLY_FAILING, CallStat, Snapshot
from syswatch.views.formatting import share

from .advice import of_errno
from .alert import Alert, Rule, Severity
from .culprits import main_of_errors
from .errnos import EXHAUSTION_ERRNOS, is_always_harmless, is_routine

KIND = "failing"
# The share of fewer calls means little.
ENOUGH_CALLS = 50
# Enough for an errno that is not part of normal work.
UNUSUAL_SHARE = 0.05


def is_failing(call: CallStat) -> bool:
    """Return whether the failed share of a call is worth an alert."""
    errno = call.tally.top_errno
    if not errno or call.tally.count < ENOUGH_CALLS or errno in EXHAUSTION_ERRNOS:
        return False
    least = MOSTLY_FAILING if is_routine(call.name, errno) else UNUSUAL_SHARE
    return call.error_share >= least


def failure_alert(snapshot: Snapshot, kind: str, call: CallStat, errno: str, problem: str) -> Alert:
    """
    Return an alert on failures, with their commonest errno and the object of most of them.

    It is a notice if the errno is routine.
    """
    severity = Severity.NOTICE if is_routine(call.name, errno) else Severity.WARNING
    culprit = main_of_errors(snapshot, call.name)
    title = f"{problem}, mostly {errno}" + (f", mostly on {culprit.name}" if culprit.name else "")
    is_known = is_always_harmless(call.name, errno, culprit.path)
    harmless = f"{errno} from {call.name}" if is_known else ""
    return Alert(
        severity,
        kind,
        title,
        of_errno(call.name, errno),
        call.name,
        path=culprit.path,
        object=culprit.id,
        harmless=harmless,
    )


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    for call in filter(is_failing, snapshot.calls):
        problem = f"{call.name}: {share(call.error_share)} fail"
        yield failure_alert(snapshot, KIND, call, call.tally.top_errno, problem)


RULE = Rule(
    KIND,
    (Severity.WARNING, Severity.NOTICE),
    f"At least {ENOUGH_CALLS} calls, of which {MOSTLY_FAILING:.0%} fail with an errno that is "
    "part of normal work or harmless for this call (a notice), or "
    f"{UNUSUAL_SHARE:.0%} with another one.",
    "With ENOENT while a program searches its directories, or EAGAIN in an event loop.",
    _find,
)
