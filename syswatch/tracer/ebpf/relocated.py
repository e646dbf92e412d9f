"""The program as it is relocated for one kernel: what bpf(2) is given, save for the options."""

import marshal
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

OBJECT = Path(__file__).with_name("kernel") / "syswatch.bpf.o"


class MapSpec(NamedTuple):
    """What the kernel is told of a map, except for what depends on the options of a trace."""

    kind: int
    key_size: int
    value_size: int
    entries: int
    flags: int
    key_type: int
    value_type: int


class ProgramSpec(NamedTuple):
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


class Relocated(NamedTuple):
    """Those programs that the kernel can load, with their maps and types."""

    types: bytes
    maps: Mapping[str, MapSpec]
    programs: Mapping[str, ProgramSpec]


def encoded(relocated: Relocated) -> bytes:
    """Return the bytes of a relocated program."""
    maps = {name: tuple(each) for name, each in relocated.maps.items()}
    programs = {name: tuple(each) for name, each in relocated.programs.items()}
    return marshal.dumps((relocated.types, maps, programs))


def decoded(data: bytes) -> Relocated:
    """Return the relocated program of such bytes, which must be the ones that were encoded."""
    # Of all that Python brings along for this, it alone takes no time to import.
    types, maps, programs = marshal.loads(data)  # noqa: S302  of a file that only the user can write
    return Relocated(
        types,
        {name: MapSpec(*each) for name, each in maps.items()},
        {name: ProgramSpec(*each) for name, each in programs.items()},
    )
