"""Options of the flight recorder: what is kept of a recording, and when that is saved."""

from typing import TYPE_CHECKING, Final

from syswatch.recording.forms import ALWAYS_SAVED, DEFAULT_SAVES

from .arguments import Arguments
from .declaration import Group, Option

if TYPE_CHECKING:
    from syswatch.recording.keeping import Keep

OPTIONS: Final = (
    Option(
        "keep",
        "Record all the time, and keep only the newest part: a time such as 5m, a size such as"
        " 2GB, or both",
        Group.OUTPUT,
        metavar="AMOUNT",
        repeatable=True,
        needs=("record",),
    ),
    Option(
        "save-on",
        "Save what is kept also on errno:NAME, slower:TIME[:CALL] or alert (always:"
        f" {ALWAYS_SAVED}, and SIGUSR1)",
        Group.OUTPUT,
        metavar="EVENT",
        repeatable=True,
        needs=("keep",),
    ),
    Option(
        "keep-saves",
        "Keep the newest N saves",
        Group.OUTPUT,
        metavar="N",
        default=str(DEFAULT_SAVES),
        needs=("keep",),
    ),
)


def keep(arguments: Arguments) -> "Keep | None":
    """Check the options, and return what to keep; None for everything."""
    if not arguments.has("keep"):
        return None
    # It needs the catalog of calls.
    from . import keeping

    return keeping.keep(arguments)
