"""
What the printers read from memory, and when, for a tracer that copies it while a call is made.

The printers themselves ask a `Memory` for what they need.  A program in the kernel must know it
beforehand: where the pointers are, and how much behind them is shown.  A printer that is given less
than it asks for shows an address.
"""

import enum
from collections.abc import Iterator

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import lookup, model_of

from .printers import AT_ENTRY, AT_EXIT, SAVE_AT_ENTRY
from .read_specs import ARGUMENTS, READS, SPECIAL_CALL_READS, PointerArgument, Read, structure
from .results import TIMEOUTS_LEFT
from .traced_call import Settings

# When they return, the memory in which their arguments were is gone.
_TAKE_AWAY = frozenset({"execve", "execveat"})
# The kernel writes behind these, but not over what is printed of them.
_KEPT = frozenset({Kind.POLLFDS_INOUT})


class Access(enum.Enum):
    """Who writes memory that is shown, and so when it must be read."""

    # The caller; the call leaves it as it is.
    INPUT = enum.auto()
    # The caller; the call writes elsewhere, which may be the same place.
    INPUT_AT_RISK = enum.auto()
    # The caller, and then the call.
    IN_OUT = enum.auto()
    # The caller; a call that succeeds takes it away.
    INPUT_UNMAPPED = enum.auto()
    # The call.
    OUTPUT = enum.auto()


def reads_of(name: str, settings: Settings) -> Iterator[tuple[Access, Read]]:
    """Yield what the printers read for calls of a name."""
    entry = lookup(name)
    kinds = [argument.kind for argument in entry.arguments] if entry else []
    writes = any(kind in AT_EXIT or kind.name.endswith("_INOUT") for kind in kinds)
    for index, kind in enumerate(kinds[:ARGUMENTS]):
        if kind in READS or kind in AT_ENTRY or kind in AT_EXIT:
            read = READS.get(kind, structure)(PointerArgument(name, index, settings))
            for moment in _moments(name, index, kind, writes=writes):
                # What is overwritten are numbers, not what is behind pointers among them.
                overwritten = moment is Access.IN_OUT
                yield moment, attrs.evolve(read, within=()) if overwritten else read
    for index, maker in SPECIAL_CALL_READS.get(model_of(name), {}).items():
        yield Access.OUTPUT, maker(PointerArgument(name, index, settings))


def _moments(name: str, index: int, kind: Kind, *, writes: bool) -> tuple[Access, ...]:
    if kind in _KEPT:
        return (Access.INPUT,)
    if (
        kind in SAVE_AT_ENTRY
        or kind.name.endswith("_INOUT")
        or TIMEOUTS_LEFT.get(model_of(name)) == index
    ):
        return (Access.IN_OUT, Access.OUTPUT)
    if kind not in AT_ENTRY:
        return (Access.OUTPUT,)
    if name in _TAKE_AWAY:
        return (Access.INPUT_UNMAPPED,)
    return (Access.INPUT_AT_RISK if writes else Access.INPUT,)
