"""The alert `exhausted`: a call failed because a resource of the machine ran out or broke."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import count

from .advice import of_errno
from .alert import Alert, Rule, Severity
from .errnos import EXHAUSTION_ERRNOS

KIND = "exhausted"


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    for call in snapshot.calls:
        for errno, times in call.tally.errnos.items():
            if errno in EXHAUSTION_ERRNOS:
                often = "once" if times == 1 else f"{count(times)} times"
                title = f"{call.name} failed with {errno} {often}"
                why = of_errno(call.name, errno)
                yield Alert(Severity.CRITICAL, KIND, title, why, call.name)


RULE = Rule(
    KIND,
    (Severity.CRITICAL,),
    f"A call failed with one of {', '.join(sorted(EXHAUSTION_ERRNOS))}, even once.",
    "Rarely: if the program probes for a limit on purpose.",
    _find,
)
