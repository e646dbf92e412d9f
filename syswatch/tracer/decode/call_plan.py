"""What there is to do for calls of one name; worked out once, then used for every call."""

from functools import lru_cache

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import lookup, model_of

from .numbers import hexadecimal, unsigned_64
from .printers import AT_ENTRY, OF_DESCRIPTORS, PRINTERS, SAVE_AT_ENTRY
from .special_calls import SPECIAL_CALLS, CallPrinter
from .traced_call import Printer, SaveAtEntry, by_value

# Calls that nobody has described are shown as six raw registers, as many as there are.
_REGISTERS = 6
# Which argument is the path of the file that is opened.
OPENED_PATH = {"open": 0, "creat": 0, "openat": 1, "openat2": 1}

RAW: Printer = by_value(lambda value: hexadecimal(unsigned_64(value)))


@attrs.frozen
class CallPlan:
    """The printers of all arguments, and which of them must run before the call does."""

    printers: tuple[Printer, ...]
    early: tuple[tuple[int, Printer], ...]
    saved: tuple[tuple[int, SaveAtEntry], ...]
    shape: CallPrinter | None
    path_at: int | None


@lru_cache(maxsize=1024)
def plan_for(name: str, *, descriptor_paths: bool) -> CallPlan:
    """Return the plan for a call; an unknown one has a plan, too."""
    kinds = _kinds(name)
    early = tuple(
        (index, PRINTERS[kind])
        for index, kind in enumerate(kinds)
        if kind in AT_ENTRY or (descriptor_paths and kind in OF_DESCRIPTORS)
    )
    return CallPlan(
        printers=tuple(PRINTERS.get(kind, RAW) for kind in kinds),
        early=early,
        saved=tuple(
            (i, SAVE_AT_ENTRY[kind]) for i, kind in enumerate(kinds) if kind in SAVE_AT_ENTRY
        ),
        shape=SPECIAL_CALLS.get(name) or SPECIAL_CALLS.get(model_of(name)),
        path_at=OPENED_PATH.get(name),
    )


def raw_plan(name: str) -> CallPlan:
    """Return a plan that prints the registers and reads nothing."""
    count = len(_kinds(name))
    return CallPlan((RAW,) * count, (), (), None, None)


def _kinds(name: str) -> tuple[Kind, ...]:
    entry = lookup(name)
    if entry is None or (not entry.arguments and not entry.signature):
        return (Kind.HEX,) * _REGISTERS
    return tuple(argument.kind for argument in entry.arguments)
