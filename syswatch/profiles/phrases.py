"""Rules, conditions and arguments in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from syswatch.model.ruled_arguments import PROT_EXEC, PROT_WRITE, RuledArgument, ruled_arguments

from .conditions import INT_BITS, Condition, Operator
from .names import FAMILIES, NAMESPACES

_SIGNS: Final[Mapping[Operator, str]] = {
    Operator.NE: "!=",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.EQ: "=",
    Operator.GE: ">=",
    Operator.GT: ">",
}
_PROTECTIONS: Final = {"PROT_WRITE": PROT_WRITE, "PROT_EXEC": PROT_EXEC}
_FAMILY_NAMES: Final = {number: name for name, number in FAMILIES.items()}
# The architecture whose arguments stand for those of all: they differ only by which are in memory.
_USUAL: Final = "x86_64"


def of_conditions(call: str, conditions: Sequence[Condition]) -> str:
    """Return what the arguments of a call must be."""
    return ", ".join(_condition(call, each) for each in conditions) or "any arguments"


def of_values(call: str, architecture: str, values: Iterable[int]) -> str:
    """Return the arguments that rules can depend on."""
    ruled = ruled_arguments(call, architecture)
    return ", ".join(_value(each, value) for each, value in zip(ruled, values, strict=False))


def _condition(call: str, condition: Condition) -> str:
    for ruled in ruled_arguments(call, _USUAL):
        if (ruled.position, ruled.mask) == (condition.index, condition.mask):
            return _value(ruled, condition.value)
    argument = f"argument {condition.index + 1}"
    if condition.operator is not Operator.MASKED_EQ:
        return f"{argument} {_SIGNS[condition.operator]} {condition.value:#x}"
    if condition.mask == INT_BITS:
        return f"{argument} = {condition.value:#x}"
    if not condition.value:
        return f"{argument} without the bits {condition.mask:#x}"
    return f"{argument} with {condition.value:#x} of the bits {condition.mask:#x}"


def _value(ruled: RuledArgument, value: int) -> str:
    match ruled.meaning:
        case "address family":
            return f"{ruled.meaning} {_FAMILY_NAMES.get(value, value)}"
        case "namespaces":
            flags = {f"CLONE_NEW{word}": bit for word, bit in _clone_words().items()}
            return f"new namespaces: {_flags(flags, value) or 'none'}"
        case "protection":
            return f"memory: {_flags(_PROTECTIONS, value) or 'neither writable nor executable'}"
        case _:
            return f"{ruled.meaning} {value:#x}"


def _clone_words() -> Mapping[str, int]:
    return {("NS" if name == "mnt" else name.upper()): bit for name, bit in NAMESPACES.items()}


def _flags(names: Mapping[str, int], value: int) -> str:
    """Return the names of the bits, and in hexadecimal those without one."""
    found = [name for name, bit in names.items() if value & bit]
    rest = value & ~sum(names.values())
    return "|".join([*found, f"{rest:#x}"] if rest else found)
