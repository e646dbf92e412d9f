"""
The lists of the main screen.

To add a list, write a module with its `Listing`, which has the name of the list in capitals, add
the name to `_NAMES`, and a tab to `tabs.TABS`.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.details.parts import object_cell, process_name, thread_name
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.views.budget.scope import info_of

_NAMES = ("calls", "objects", "threads", "slowest", "processes", "groups")


class _Lists(Mapping[str, Listing[Any]]):
    """The lists by name; each is imported when it is used, so the first one is shown sooner."""

    def __getitem__(self, name: str) -> Listing[Any]:
        if name not in _NAMES:
            raise KeyError(name)
        return _listing(name)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


@cache
def _listing(name: str) -> Listing[Any]:
    return cast("Listing[Any]", getattr(import_module(f"{__name__}.{name}"), name.upper()))


LISTS: Mapping[str, Listing[Any]] = _Lists()


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
