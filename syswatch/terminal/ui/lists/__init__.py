"""
The lists of the main screen.

To add a list, write a module with its `Listing`, add it to `LISTS`, and a tab to `tabs.TABS`.
"""

from collections.abc import Mapping
from typing import Any

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.details.parts import object_cell, process_name, thread_name
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.views.budget.scope import info_of

from .calls import CALLS
from .groups import GROUPS
from .objects import OBJECTS
from .processes import PROCESSES
from .slowest import SLOWEST
from .threads import THREADS

LISTS: Mapping[str, Listing[Any]] = {
    listing.name: listing for listing in (CALLS, OBJECTS, THREADS, SLOWEST, PROCESSES, GROUPS)
}


def scope_name(snapshot: Snapshot, scope: Scope) -> str:
    """Return the part of a trace in words, empty for all of it."""
    parts = []
    if scope.tid is not None:
        parts.append(thread_name(snapshot, scope.tid, scope.pid or 0))
    elif scope.pid is not None:
        parts.append(process_name(snapshot, scope.pid))
    if scope.object is not None:
        parts.append(object_cell(info_of(snapshot, scope.object)))
    return ", ".join(parts)
