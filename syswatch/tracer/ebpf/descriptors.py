"""The program in the kernel: each of its parts exists as long as something has a descriptor."""

import ctypes
import os
import struct
from collections.abc import Collection, Mapping

import attrs

from syswatch.base.classes import define

from .layout import Settings
from .libbpf import TRACING, Libbpf, MapOptions, ProgramOptions
from .maps import sizes_of_maps
from .relocated import MapSpec, ProgramSpec, Relocated

_SETTINGS = ".rodata"
_LICENSE = b"Dual MIT/GPL"
_INSTRUCTION_BYTES = 8
# An instruction ends with a number, which here is a descriptor.
_NUMBER = struct.Struct("=i")
_NUMBER_AT = 4


@define
class Descriptors:
    """The descriptors of the maps and of the programs that a trace needs, by name."""

    # Of the types that both refer to.
    types: int
    maps: dict[str, int] = attrs.field(factory=dict, init=False)
    programs: dict[str, int] = attrs.field(factory=dict, init=False)

    def close(self) -> None:
        """Release all of it; only once, since the numbers may be those of other files then."""
        for descriptor in (*self.programs.values(), *self.maps.values(), self.types):
            os.close(descriptor)


def load(
    libbpf: Libbpf, relocated: Relocated, settings: Settings, needed: Collection[str]
) -> Descriptors:
    """Give the kernel the maps and the needed programs; an EbpfError if it refuses one."""
    types = libbpf.bpf_btf_load(relocated.types, len(relocated.types), None)
    loaded = Descriptors(libbpf.checked(types, "load the program"))
    try:
        sizes = sizes_of_maps(settings)
        for name, each in relocated.maps.items():
            entries = sizes.get(name, each.entries)
            loaded.maps[name] = _create(libbpf, name, each, entries, types)
        _configure(libbpf, loaded.maps[_SETTINGS], settings)
        for name, program in relocated.programs.items():
            if name in needed:
                loaded.programs[name] = _verify(libbpf, name, program, loaded.maps, types)
    except BaseException:
        loaded.close()
        raise
    return loaded


def _create(libbpf: Libbpf, name: str, each: MapSpec, entries: int, types: int) -> int:
    """Create a map."""
    has_types = each.key_type or each.value_type
    options = MapOptions(
        types=types if has_types else 0,
        key_type=each.key_type,
        value_type=each.value_type,
        flags=each.flags,
    )
    return libbpf.checked(
        libbpf.bpf_map_create(
            each.kind,
            name.encode(),
            each.key_size,
            each.value_size,
            entries,
            ctypes.byref(options),
        ),
        "create a map",
    )


def _configure(libbpf: Libbpf, descriptor: int, settings: Settings) -> None:
    """Write the settings, which never change: only then does the kernel remove code."""
    first = ctypes.c_uint32(0)
    libbpf.checked(
        libbpf.bpf_map_update_elem(descriptor, ctypes.byref(first), ctypes.byref(settings), 0),
        "configure the program",
    )
    libbpf.checked(libbpf.bpf_map_freeze(descriptor), "configure the program")


def _verify(
    libbpf: Libbpf, name: str, program: ProgramSpec, maps: Mapping[str, int], types: int
) -> int:
    """Load a program, which the kernel verifies."""
    instructions = bytearray(program.instructions)
    for number, used in program.maps:
        _NUMBER.pack_into(instructions, number * _INSTRUCTION_BYTES + _NUMBER_AT, maps[used])
    functions = ctypes.create_string_buffer(program.functions)
    options = ProgramOptions(
        attach_kind=program.attach_kind,
        types=types,
        target=program.target,
        functions=ctypes.addressof(functions),
        function_size=program.function_size,
        function_count=len(program.functions) // (program.function_size or 1),
    )
    return libbpf.checked(
        libbpf.bpf_prog_load(
            TRACING,
            name.encode(),
            _LICENSE,
            ctypes.byref(ctypes.c_char.from_buffer(instructions)),
            len(instructions) // _INSTRUCTION_BYTES,
            ctypes.byref(options),
        ),
        "load the program",
    )
