"""The alert `path`: most opens name the same path."""

from collections.abc import Iterator

from syswatch.model.catalog import openers
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import share

from .alert import Alert, Rule, Severity

KIND = "path"
ENOUGH_OPENS = 100
DOMINANT_SHARE = 0.5
_HARMLESS = (
    "For a device or a file under /proc; otherwise the program could keep it open, or cache its "
    "content."
)


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    paths = snapshot.sums.paths
    opens = sum(paths.values())
    if opens < ENOUGH_OPENS:
        return
    most = max(paths.values())
    if most >= DOMINANT_SHARE * opens:
        path = min(name for name, times in paths.items() if times == most)
        call = next((call.name for call in snapshot.calls if call.name in openers()), "")
        title = f"{share(most / opens)} of all opens are of one path"
        yield Alert(Severity.NOTICE, KIND, title, f"Harmless f{_HARMLESS[1:]}", call, path)


RULE = Rule(
    KIND,
    (Severity.NOTICE,),
    f"At least {ENOUGH_OPENS} opens, of which {DOMINANT_SHARE:.0%} are of one path.",
    _HARMLESS,
    _find,
)
