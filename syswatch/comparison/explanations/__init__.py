"""
Why something changed, where the figures prove it.

Each explanation is a function in a module of its own, with the condition under which it holds.  To
add one, list it in `_EXPLANATIONS`; where none holds, the numbers stand for themselves.
"""

from collections.abc import Callable
from typing import Final

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import Group

from . import failures, imports, missing, pieces, searches
from .reason import UNKNOWN, Reason

__all__ = ["Reason", "explanation"]

# The first one that holds is used.
_EXPLANATIONS: Final[tuple[Callable[[Group, Evidence], Reason], ...]] = (
    imports.explain,
    missing.explain,
    searches.explain,
    pieces.explain,
    failures.explain,
)


def explanation(group: Group, evidence: Evidence) -> Reason:
    """Return why the figures of a group changed."""
    if group.replaced:
        return UNKNOWN
    found = (explain(group, evidence) for explain in _EXPLANATIONS)
    return next((reason for reason in found if reason.text), UNKNOWN)
