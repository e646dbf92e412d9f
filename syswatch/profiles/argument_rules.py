"""From the arguments that were seen to conditions, as strict as the level asks for."""

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from syswatch.model.ruled_arguments import (
    PROT_EXEC,
    PROT_WRITE,
    RuledArgument,
    ruled_arguments,
)

from .conditions import Condition, Operator


class Level(enum.StrEnum):
    """How much more than what was seen a profile permits."""

    EXACT = "exact"
    DEFAULT = "default"
    BROAD = "broad"


# Of these, only the first argument has a rule at the default level: the others differ between
# versions of libraries, and refusing them prevents little.
_FIRST_ONLY: Final = frozenset({"socket", "socketpair"})
# At the default level, these are permitted with any arguments: refusing some prevents little.
_HARMLESS: Final = frozenset({"fcntl", "fcntl64", "getsockopt", "setsockopt"})
_HARMLESS_IF_BROAD: Final = frozenset({*_HARMLESS, "ioctl", "prctl", "ipc", "socketcall"})
_MAPPING: Final = frozenset({"mmap", "mmap2"})
_PROTECTING: Final = frozenset({"mprotect", "pkey_mprotect"})
_W_AND_X: Final = PROT_WRITE | PROT_EXEC

# Requests that libraries make on their own, and that only ask or affect the caller.
_USUAL: Final[Mapping[str, Mapping[int, str]]] = {
    "ioctl": {
        0x5401: "TCGETS, which isatty() makes",
        0x5413: "TIOCGWINSZ, which asks for the size of the terminal",
        0x541B: "FIONREAD, which asks how much can be read",
        0x5421: "FIONBIO, which sets O_NONBLOCK",
        0x5450: "FIONCLEX, which clears the close-on-exec flag",
        0x5451: "FIOCLEX, which sets the close-on-exec flag",
        0x40049409: "FICLONE, which cp tries first, to share the blocks of a file",
        0x802C542A: "TCGETS2, which isatty() of newer C libraries makes",
    },
    "prctl": {
        3: "PR_GET_DUMPABLE, which only asks",
        15: "PR_SET_NAME, which names a thread",
        16: "PR_GET_NAME, which only asks",
        23: "PR_CAPBSET_READ, which only asks",
        38: "PR_SET_NO_NEW_PRIVS, which only gives up rights",
        39: "PR_GET_NO_NEW_PRIVS, which only asks",
        0x53564D41: "PR_SET_VMA, by which malloc() of newer C libraries names memory",
    },
    "personality": {0xFFFFFFFF: "a query, which changes nothing"},
}

Values = tuple[int, ...]
# Conditions with the reason for those that were not seen.
Alternatives = Mapping[tuple[Condition, ...], str]


def conditions_of(
    call: str, architecture: str, seen: Iterable[Values], level: Level
) -> Mapping[Values, tuple[Condition, ...]]:
    """Return the conditions that permit each of the values; none if they are not known."""
    ruled = ruled_arguments(call, architecture)
    seen = list(seen)
    unlimited = _unlimited(call, level) or not all(seen)
    return {
        values: () if unlimited else _conditions(_limited(call, ruled, level), values)
        for values in seen
    }


def additions(
    call: str, architecture: str, seen: Iterable[Values], level: Level
) -> Iterator[tuple[tuple[Condition, ...], str]]:
    """Yield more conditions that the level permits if the call is made, with their reasons."""
    ruled = ruled_arguments(call, architecture)
    seen = list(seen)
    if level is Level.EXACT or not ruled or not all(seen):
        return
    if not _unlimited(call, level):
        for value, text in _USUAL.get(call, {}).items():
            yield _conditions(ruled[:1], (value,)), f"often made by libraries: {text}"
    for protection in _more_protections(call, {values[0] for values in seen}):
        yield (
            _conditions(ruled, (protection,)),
            "memory is mapped with other protections, too, but never both writable and executable",
        )


def _more_protections(call: str, seen: set[int]) -> Iterator[int]:
    """Yield the protections that are permitted without having been seen."""
    if call in _MAPPING or call in _PROTECTING:
        yield from {0, PROT_WRITE} - seen
    if call in _MAPPING:  # Libraries are mapped as executable whenever one is loaded.
        yield from {PROT_EXEC} - seen


def _unlimited(call: str, level: Level) -> bool:
    if level is Level.EXACT:
        return False
    return call in (_HARMLESS_IF_BROAD if level is Level.BROAD else _HARMLESS)


def _limited(call: str, ruled: Sequence[RuledArgument], level: Level) -> Sequence[RuledArgument]:
    return ruled[:1] if level is not Level.EXACT and call in _FIRST_ONLY else ruled


def _conditions(ruled: Sequence[RuledArgument], values: Values) -> tuple[Condition, ...]:
    return tuple(
        Condition(each.position, Operator.MASKED_EQ, value & each.mask, each.mask)
        for each, value in zip(ruled, values, strict=False)
    )
