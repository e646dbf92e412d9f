"""The alert `exhausted`: a call failed because a resource of the machine ran out or broke."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import count

from .advice import of_errno
from .alert import Alert, Rule, Severity
from .culprits import NO_CULPRIT, main_of_errors
from .errnos import EXHAUSTION_ERRNOS

KIND = "exhausted"


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    for call in snapshot.calls:
        for errno, times in call.tally.errnos.items():
            if errno in EXHAUSTION_ERRNOS:
                often = "once" if times == 1 else f"{count(times)} times"
                # The object is that of all failures, which may have several reasons.
                is_only = len(call.tally.errnos) == 1
                culprit = main_of_errors(snapshot, call.name) if is_only else NO_CULPRIT
                place = f" on {culprit.name}" if culprit.name else ""
                yield Alert(
                    Severity.CRITICAL,
                    KIND,
                    f"{call.name} failed with {errno} {often}{place}",
                    of_errno(call.name, errno),
                    call.name,
                    path=culprit.path,
                    object=culprit.id,
                )


RULE = Rule(
    KIND,
    (Severity.CRITICAL,),
    f"A call failed with one of {', '.join(sorted(EXHAUSTION_ERRNOS))}, even once.",
    "Rarely: if the program probes for a limit on purpose.",
    _find,
)
