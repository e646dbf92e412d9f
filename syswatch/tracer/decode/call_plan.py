"""How calls of one name are printed; determined once and used for all of them."""

from functools import lru_cache

from syswatch.base.classes import frozen
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import arguments_of, model_of

from .numbers import hexadecimal, unsigned_64
from .printers import ALL, AT_ENTRY, DESCRIPTORS, SAVED_AT_ENTRY
from .special_calls import SPECIAL_CALLS, CallPrinter
from .traced_call import Printer, SaveAtEntry, by_value

# Calls that the catalog does not describe are printed with all six registers.
_REGISTERS = 6

RAW: Printer = by_value(lambda value: hexadecimal(unsigned_64(value)))


@frozen
class CallPlan:
    """The printers of all arguments, and those that must run at the entry."""

    printers: tuple[Printer, ...]
    at_entry: tuple[tuple[int, Printer], ...]
    saved: tuple[tuple[int, SaveAtEntry], ...]
    special: CallPrinter | None


@lru_cache(maxsize=1024)
def plan_for(name: str, *, descriptor_paths: bool) -> CallPlan:
    """Return the plan for calls of a name, which may be unknown."""
    kinds = _kinds(name)
    at_entry = tuple(
        (index, ALL[kind])
        for index, kind in enumerate(kinds)
        if kind in AT_ENTRY or (descriptor_paths and kind in DESCRIPTORS)
    )
    return CallPlan(
        printers=tuple(ALL.get(kind, RAW) for kind in kinds),
        at_entry=at_entry,
        saved=tuple(
            (i, SAVED_AT_ENTRY[kind]) for i, kind in enumerate(kinds) if kind in SAVED_AT_ENTRY
        ),
        special=SPECIAL_CALLS.get(name) or SPECIAL_CALLS.get(model_of(name)),
    )


def raw_plan(name: str) -> CallPlan:
    """Return a plan that prints the registers and reads nothing."""
    count = len(_kinds(name))
    return CallPlan((RAW,) * count, (), (), None)


def _kinds(name: str) -> tuple[Kind, ...]:
    arguments = arguments_of(name)
    if arguments is None:
        return (Kind.HEX,) * _REGISTERS
    return tuple(argument.kind for argument in arguments)
