"""What the application can ask its caller to do."""

import enum
from collections.abc import Callable, Sequence

from twisted.internet.defer import Deferred

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.period import Period


class Exit(enum.Enum):
    """What the user chose when quitting."""

    QUIT = enum.auto()
    TERMINATE_COMMAND = enum.auto()


@frozen
class Controls:
    """
    What the application can ask its caller to do; a text that is returned is shown.

    `part` returns the part of a recording in a range of time; None if no recording is shown.
    """

    interrupt: Callable[[], str]
    save_report: Callable[[Snapshot], str]
    quit_terminates: Callable[[], bool]
    output: Callable[[], Sequence[str]] = tuple
    part: Callable[[Period], Deferred[Snapshot]] | None = None
