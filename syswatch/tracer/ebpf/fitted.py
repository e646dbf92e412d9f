"""The program as it fits one kernel, which must be found out only once."""

import marshal
from collections.abc import Mapping
from typing import NamedTuple


class FittedMap(NamedTuple):
    """What the kernel is told of a map, except for what depends on the options of a trace."""

    kind: int
    key_size: int
    value_size: int
    entries: int
    flags: int
    key_type: int
    value_type: int


class FittedProgram(NamedTuple):
    """What the kernel is told of one program."""

    attach_kind: int
    # The type of what it is attached to.
    target: int
    instructions: bytes
    # Which instructions need the descriptor of which map.
    maps: tuple[tuple[int, str], ...]
    # Where its functions are, and the types of these.
    functions: bytes
    function_size: int


class Fitted(NamedTuple):
    """Those programs that the kernel can load, with their maps and types."""

    types: bytes
    maps: Mapping[str, FittedMap]
    programs: Mapping[str, FittedProgram]


def encoded(fitted: Fitted) -> bytes:
    """Return the bytes of a fitted program."""
    maps = {name: tuple(each) for name, each in fitted.maps.items()}
    programs = {name: tuple(each) for name, each in fitted.programs.items()}
    return marshal.dumps((fitted.types, maps, programs))


def decoded(data: bytes) -> Fitted:
    """Return the fitted program of such bytes, which must be the ones that were encoded."""
    # Of all that Python brings along for this, it alone takes no time to import.
    types, maps, programs = marshal.loads(data)  # noqa: S302  of a file that only the user can write
    return Fitted(
        types,
        {name: FittedMap(*each) for name, each in maps.items()},
        {name: FittedProgram(*each) for name, each in programs.items()},
    )
