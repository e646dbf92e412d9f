"""
What calls change in the descriptor tables.

A source that sees calls begin uses `began` and `returned`: another thread can get a number as soon
as close has released it, which is before close returns.  Another source uses `completed`.
"""

import errno
from functools import lru_cache

from syswatch.model.catalog import model_of

from . import opening, socket_calls, table_calls
from .descriptors import Descriptors
from .observed import ObservedCall

_EFFECTS = opening.EFFECTS | socket_calls.EFFECTS | table_calls.EFFECTS
_CLOSES = table_calls.CLOSES


@lru_cache(maxsize=4096)
def changes_tables(name: str) -> bool:
    """Return whether a call of this name may change a descriptor table."""
    return model_of(name) in _EFFECTS or closes_at_once(name)


def changes_tables_at_end(name: str) -> bool:
    """Return whether a call of this name may change a descriptor table when it returns."""
    return model_of(name) in _EFFECTS


def commands_that_change_tables(name: str) -> frozenset[int]:
    """Return the second arguments with which a call may change a table; none if any may."""
    return table_calls.COMMANDS.get(model_of(name), frozenset())


@lru_cache(maxsize=4096)
def closes_at_once(name: str) -> bool:
    """Return whether a call of this name may close descriptors before it returns."""
    return model_of(name) in _CLOSES


def began(tables: Descriptors, call: ObservedCall) -> None:
    """Apply what a call does before it returns, whatever its result."""
    effect = _CLOSES.get(model_of(call.name))
    if effect is not None:
        effect(tables, call)


def returned(tables: Descriptors, call: ObservedCall) -> None:
    """Apply what a call has done, except for what `began` applies."""
    # A connection that is not waited for is in progress when connect returns.
    if call.result >= 0 or (call.name == "connect" and call.result == -errno.EINPROGRESS):
        effect = _EFFECTS.get(model_of(call.name))
        if effect is not None:
            effect(tables, call)


def completed(tables: Descriptors, call: ObservedCall) -> None:
    """Apply what a call has done that was not seen to begin."""
    # Even if close reports an error of the device, the descriptor is closed.
    if call.result >= 0 or (call.name == "close" and call.result != -errno.EBADF):
        began(tables, call)
    returned(tables, call)
