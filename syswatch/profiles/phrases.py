"""Rules, conditions and arguments in words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from syswatch.model.argument_names import (
    BPF_COMMAND,
    FCNTL_COMMAND,
    IP_PROTOCOL,
    KEYCTL_OPERATION,
    NETLINK_PROTOCOL,
    PRCTL_OPTION,
    SOCKET_LEVEL,
    SOCKET_OPTIONS,
    SOCKET_TYPE,
)
from syswatch.model.ioctl_requests import IOCTL_REQUEST
from syswatch.model.ruled_arguments import PROT_EXEC, PROT_WRITE, RuledArgument, ruled_arguments
from syswatch.model.symbols import Enumeration

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
_OPERATORS: Final = {sign: operator for operator, sign in _SIGNS.items()}
_ANYTHING: Final = "any arguments"
_NEW, _NONE = "new namespaces: ", "none"
_MEMORY, _NEITHER = "memory: ", "neither writable nor executable"
_AS_INT: Final = " (32 bits)"
_PLAIN: Final = re.compile(
    r"argument (?P<place>[1-6])(?:"
    r" (?P<sign>!=|<=|>=|[<=>]) (?P<value>0x[\da-f]+)(?P<int> \(32 bits\))?"
    r"| without the bits (?P<without>0x[\da-f]+)"
    r"| with (?P<set>0x[\da-f]+) of the bits (?P<mask>0x[\da-f]+))"
)
_PROTECTIONS: Final = {"PROT_WRITE": PROT_WRITE, "PROT_EXEC": PROT_EXEC}
_FAMILY_NAMES: Final = {number: name for name, number in FAMILIES.items()}
# By the call and what the argument is.
_NAMES: Final[Mapping[tuple[str, str], Enumeration]] = {
    ("bpf", "command"): BPF_COMMAND,
    ("fcntl", "command"): FCNTL_COMMAND,
    ("fcntl64", "command"): FCNTL_COMMAND,
    ("ioctl", "request"): IOCTL_REQUEST,
    ("keyctl", "command"): KEYCTL_OPERATION,
    ("prctl", "option"): PRCTL_OPTION,
}
_PROTOCOLS: Final[Mapping[int, Enumeration]] = {
    FAMILIES["AF_INET"]: IP_PROTOCOL,
    FAMILIES["AF_INET6"]: IP_PROTOCOL,
    FAMILIES["AF_NETLINK"]: NETLINK_PROTOCOL,
}
# The architecture whose arguments stand for those of all: they differ only by which are in memory.
_USUAL: Final = "x86_64"


def of_conditions(call: str, conditions: Sequence[Condition]) -> str:
    """Return what the arguments of a call must be."""
    values = {each.index: each.value for each in conditions if _ruled(call, each)}
    return ", ".join(_condition(call, each, values) for each in conditions) or _ANYTHING


def conditions_of(call: str, words: str) -> Sequence[Condition]:
    """Return the conditions that were put into words; raise ValueError for other words."""
    found: list[Condition] = []
    values: dict[int, int] = {}
    for each in words.split(", ") if words != _ANYTHING else ():
        condition = _read_ruled(call, each, values) or _read_plain(each)
        values[condition.index] = condition.value
        found.append(condition)
    return found


def of_values(call: str, architecture: str, values: Iterable[int]) -> str:
    """Return the arguments that rules can depend on."""
    ruled = ruled_arguments(call, architecture)
    found = list(zip(ruled, values, strict=False))
    by_position = {each.position: value for each, value in found}
    return ", ".join(_value(call, each, by_position) for each, _ in found)


def _ruled(call: str, condition: Condition) -> RuledArgument | None:
    """Return the argument that must have the value of a condition, if it is known what it is."""
    for ruled in ruled_arguments(call, _USUAL):
        if (ruled.position, ruled.mask) == (condition.index, condition.mask):
            return ruled
    return None


def _condition(call: str, condition: Condition, values: Mapping[int, int]) -> str:
    ruled = _ruled(call, condition)
    if ruled is not None:
        return _value(call, ruled, {**values, condition.index: condition.value})
    argument = f"argument {condition.index + 1}"
    if condition.operator is not Operator.MASKED_EQ:
        return f"{argument} {_SIGNS[condition.operator]} {condition.value:#x}"
    if condition.mask == INT_BITS:
        return f"{argument} = {condition.value:#x}{_AS_INT}"
    if not condition.value:
        return f"{argument} without the bits {condition.mask:#x}"
    return f"{argument} with {condition.value:#x} of the bits {condition.mask:#x}"


def _value(call: str, ruled: RuledArgument, values: Mapping[int, int]) -> str:
    """Return what the argument is and its value, of which others may decide the name."""
    value = values[ruled.position]
    match ruled.meaning:
        case "address family":
            return f"{ruled.meaning} {_FAMILY_NAMES.get(value, value)}"
        case "namespaces":
            flags = _namespaces()
            return f"{_NEW}{_flags(flags, value) or _NONE}"
        case "protection":
            return f"{_MEMORY}{_flags(_PROTECTIONS, value) or _NEITHER}"
        case meaning:
            names = _names(call, meaning, values)
            return f"{meaning} {(names and names.name(value)) or f'{value:#x}'}"


def _names(call: str, meaning: str, values: Mapping[int, int]) -> Enumeration | None:
    match meaning:
        case "socket type":
            return SOCKET_TYPE
        case "protocol":
            return _PROTOCOLS.get(values.get(0, -1))
        case "level":
            return SOCKET_LEVEL
        case "option" if call != "prctl":
            return SOCKET_OPTIONS.get(values.get(1, -1))
        case _:
            return _NAMES.get((call, meaning))


def _namespaces() -> Mapping[str, int]:
    words = {("NS" if name == "mnt" else name.upper()): bit for name, bit in NAMESPACES.items()}
    return {f"CLONE_NEW{word}": bit for word, bit in words.items()}


def _flags(names: Mapping[str, int], value: int) -> str:
    """Return the names of the bits, and in hexadecimal those without one."""
    found = [name for name, bit in names.items() if value & bit]
    rest = value & ~sum(names.values())
    return "|".join([*found, f"{rest:#x}"] if rest else found)


def _read_ruled(call: str, words: str, values: Mapping[int, int]) -> Condition | None:
    """Return the condition if these words are those of an argument that rules can depend on."""
    for ruled in ruled_arguments(call, _USUAL):
        value = _read_value(call, ruled, words, values)
        if value is not None:
            return Condition(ruled.position, Operator.MASKED_EQ, value, ruled.mask)
    return None


def _read_value(
    call: str, ruled: RuledArgument, words: str, values: Mapping[int, int]
) -> int | None:
    match ruled.meaning:
        case "namespaces":
            return _read_flags(words, _NEW, _NONE, _namespaces())
        case "protection":
            return _read_flags(words, _MEMORY, _NEITHER, _PROTECTIONS)
        case meaning:
            name = words.removeprefix(f"{meaning} ")
            return None if name == words else _number(name, _numbers(call, meaning, values))


def _numbers(call: str, meaning: str, values: Mapping[int, int]) -> Mapping[str, int]:
    if meaning == "address family":
        return FAMILIES
    names = _names(call, meaning, values)
    return names.names if names else {}


def _read_flags(words: str, begin: str, nothing: str, names: Mapping[str, int]) -> int | None:
    shown = words.removeprefix(begin)
    if shown == words:
        return None
    return 0 if shown == nothing else sum(_number(each, names) for each in shown.split("|"))


def _number(text: str, names: Mapping[str, int]) -> int:
    """Return the number of a name, or of digits."""
    if text in names:
        return names[text]
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError(f"unknown name: {text}") from None


def _read_plain(words: str) -> Condition:
    """Return a condition on an argument of which nothing is known; raise ValueError."""
    found = _PLAIN.fullmatch(words)
    if found is None:
        raise ValueError(f"unknown condition: {words}")
    index = int(found["place"]) - 1
    if found["without"] is not None:
        return Condition(index, Operator.MASKED_EQ, 0, int(found["without"], 16))
    if found["set"] is not None:
        return Condition(index, Operator.MASKED_EQ, int(found["set"], 16), int(found["mask"], 16))
    value = int(found["value"], 16)
    if found["int"]:
        return Condition(index, Operator.MASKED_EQ, value, INT_BITS)
    return Condition(index, _OPERATORS[found["sign"]], value)
