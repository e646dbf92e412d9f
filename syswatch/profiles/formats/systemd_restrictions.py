"""Settings of systemd units that restrict arguments, as rules of profiles."""

from collections.abc import Iterable
from typing import Final

from syswatch.model.ruled_arguments import NEW_NAMESPACES, PROT_EXEC, PROT_WRITE, SHM_EXEC
from syswatch.profiles.conditions import INT_BITS, Condition, Operator, without_bits
from syswatch.profiles.names import FAMILIES, NAMESPACES
from syswatch.profiles.profile import Profile

# The calls that take namespaces, with the index of the argument.
_NAMESPACE_CALLS: Final = {"clone": 0, "unshare": 0, "setns": 1}
# What MemoryDenyWriteExecute= refuses: calls with all of these bits in an argument.
_WRITE_EXECUTE: Final = {
    "mmap": (2, PROT_WRITE | PROT_EXEC),
    "mmap2": (2, PROT_WRITE | PROT_EXEC),
    "mprotect": (2, PROT_EXEC),
    "pkey_mprotect": (2, PROT_EXEC),
    "shmat": (2, SHM_EXEC),
}


def families_of(profile: Profile) -> list[str] | None:
    """Return the address families that sockets may have; None if they are not restricted so."""
    values = _permitted(profile, "socket", 0, INT_BITS)
    names = {number: name for name, number in FAMILIES.items()}
    if values is None or not values <= names.keys():
        return None
    return sorted(names[value] for value in values)


def namespaces_of(profile: Profile) -> list[str] | None:
    """Return the namespaces that may be created or entered; None if they are not restricted."""
    if "clone3" in profile.calls:  # It would fail.
        return None
    bits = 0
    for call, index in _NAMESPACE_CALLS.items():
        values = _permitted(profile, call, index, NEW_NAMESPACES)
        if values is None or (call == "setns" and 0 in values):  # any namespace
            return None
        for value in values:
            bits |= value
    if bits & ~sum(NAMESPACES.values()):
        return None
    return [name for name, bit in NAMESPACES.items() if bits & bit]


def denies_write_execute(profile: Profile) -> bool:
    """Return whether no memory may become executable after it was writable."""
    for call, (index, bits) in _WRITE_EXECUTE.items():
        values = _permitted(profile, call, index, bits)
        if values is None or bits in values:
            return False
    return True


def socket_conditions(families: Iterable[str]) -> list[tuple[Condition, ...]]:
    """Return the conditions of sockets of these families; raise KeyError if one is not known."""
    return [(Condition(0, Operator.MASKED_EQ, FAMILIES[name], INT_BITS),) for name in families]


def namespace_conditions(names: Iterable[str]) -> dict[str, list[tuple[Condition, ...]]]:
    """Return the conditions of calls if only these namespaces are permitted."""
    refused = sum(NAMESPACES.values()) - sum(NAMESPACES[name] for name in names)
    return {call: [(without_bits(index, refused),)] for call, index in _NAMESPACE_CALLS.items()}


def write_execute_conditions() -> dict[str, list[tuple[Condition, ...]]]:
    """Return the conditions of calls if memory must not be both writable and executable."""
    return {
        call: [(Condition(index, Operator.MASKED_EQ, value, bits),) for value in _others(bits)]
        for call, (index, bits) in _WRITE_EXECUTE.items()
    }


def _others(bits: int) -> list[int]:
    """Return the values of some bits except that all are set."""
    return [value for value in range(bits) if not value & ~bits]


def _permitted(profile: Profile, call: str, index: int, mask: int) -> set[int] | None:
    """Return the values of some bits that a call may have; None if its rules don't tell."""
    values = set()
    for rule in profile.of_call(call):
        if rule.action.permits:
            found = {
                each.value & mask
                for each in rule.conditions
                if each.index == index
                and each.operator is Operator.MASKED_EQ
                and each.mask & mask == mask
            }
            if not found:
                return None
            values |= found
    return values
