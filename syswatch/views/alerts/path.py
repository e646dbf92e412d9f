"""The alert `path`: most opens name the same path."""

from collections.abc import Iterator

from syswatch.model.catalog import openers
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import share

from .alert import Alert, Rule, Severity

KIND = "path"
ENOUGH_OPENS = 100
DOMINANT_SHARE = 0.5
# What is below these is made by the kernel: to open it is how it is read.
_NO_FILES = ("/dev/", "/proc/", "/sys/")
_HARMLESS = (
    "For a device or a file under /proc; otherwise the program could keep it open, or cache its "
    "content."
)


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    paths = snapshot.sums.paths
    # Those of which the path is not kept count as opens of others.
    opens = sum(paths.values()) + snapshot.sums.ledger.untracked_paths
    if not paths or opens < ENOUGH_OPENS:
        return
    most = max(paths.values())
    if most >= DOMINANT_SHARE * opens:
        path = min(name for name, times in paths.items() if times == most)
        call = next((call.name for call in snapshot.calls if call.name in openers()), "")
        title = f"{share(most / opens)} of all opens are of {path}"
        why = f"Harmless f{_HARMLESS[1:]}"
        harmless = f"opens of {path}" if path.startswith(_NO_FILES) else ""
        yield Alert(Severity.NOTICE, KIND, title, why, call, path, harmless=harmless)


RULE = Rule(
    KIND,
    (Severity.NOTICE,),
    f"At least {ENOUGH_OPENS} opens, of which {DOMINANT_SHARE:.0%} are of one path.",
    _HARMLESS,
    _find,
)
