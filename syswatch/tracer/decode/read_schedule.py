"""
When the memory that printers read must be copied, for a tracer in the kernel.

Printers read from a `Memory` whatever they need.  An eBPF program must know beforehand where the
pointers are and how much is printed of what they point to.  A printer that gets less than it asks
for prints an address.
"""

import enum
from collections.abc import Iterator

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import kinds_of, model_of

from .memory_reads import ARGUMENTS, PointerArgument, Read
from .printers import AT_ENTRY, AT_EXIT, SAVED_AT_ENTRY
from .read_specs import READS, SPECIAL_CALL_READS, structure
from .results import TIMEOUTS_LEFT
from .traced_call import Settings

# If they succeed, the memory of their arguments is unmapped.
_UNMAPPING = frozenset({"execve", "execveat"})
# The kernel writes to them, but not to the fields that are printed as input.
_UNCHANGED = frozenset({Kind.POLLFDS_INOUT})
# Read and overwritten by the call.
_IN_OUT = frozenset(kind for kind in Kind if kind.name.endswith("_INOUT"))
_WRITTEN = _IN_OUT.union(AT_EXIT)


class Access(enum.Enum):
    """How a call uses memory that is printed, which decides when that is read."""

    # Input that the call does not change.
    INPUT = enum.auto()
    # Input of a call that writes to other memory, which may overlap.
    INPUT_AT_RISK = enum.auto()
    # Input that the call overwrites with output.
    IN_OUT = enum.auto()
    # Input that is unmapped if the call succeeds.
    INPUT_UNMAPPED = enum.auto()
    # Output.
    OUTPUT = enum.auto()


def reads_of(name: str, settings: Settings) -> Iterator[tuple[Access, Read]]:
    """Yield what the printers read for calls of a name, and how these calls use it."""
    kinds = kinds_of(name)
    writes = not _WRITTEN.isdisjoint(kinds)
    for index, kind in enumerate(kinds[:ARGUMENTS]):
        if kind in READS or kind in AT_ENTRY or kind in AT_EXIT:
            read = READS.get(kind, structure)(PointerArgument(name, index, settings))
            for access in _accesses(name, index, kind, writes=writes):
                # What is saved are numbers, never what a pointer among them points to.
                yield access, attrs.evolve(read, within=()) if access is Access.IN_OUT else read
    for index, spec in SPECIAL_CALL_READS.get(model_of(name), {}).items():
        yield Access.OUTPUT, spec(PointerArgument(name, index, settings))


def _accesses(name: str, index: int, kind: Kind, *, writes: bool) -> tuple[Access, ...]:
    if kind in _UNCHANGED:
        return (Access.INPUT,)
    if kind in SAVED_AT_ENTRY or kind in _IN_OUT or TIMEOUTS_LEFT.get(model_of(name)) == index:
        return (Access.IN_OUT, Access.OUTPUT)
    if kind not in AT_ENTRY:
        return (Access.OUTPUT,)
    if name in _UNMAPPING:
        return (Access.INPUT_UNMAPPED,)
    return (Access.INPUT_AT_RISK if writes else Access.INPUT,)
