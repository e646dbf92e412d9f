"""
Relocating the program for the running kernel (CO-RE).

Kernels differ in where a field is, and in which types and functions they have.  libbpf adapts the
instructions when it loads an object, which takes nearly as long as their verification by the
kernel.  So it loads empty programs here: the instructions are taken from it, and can be cached.
"""

import ctypes
import os
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import attrs

from syswatch.base.classes import define

from . import whole_layout
from .libbpf import (
    ITERATOR,
    ON_PROGRAM,
    RAW_TRACEPOINT,
    TRACING,
    EbpfError,
    HandlerOptions,
    Libbpf,
    ProgramOptions,
)
from .relocated import OBJECT, MapSpec, ProgramSpec, Relocated

# The sections of programs, and how these are attached.
_SECTIONS = {b"tp_btf+": RAW_TRACEPOINT, b"iter+": ITERATOR}
_KERNEL_TYPES = Path("/sys/kernel/btf/vmlinux")
# The length of the header, where types and names are behind it, and their sizes.
_BTF_HEADER = struct.Struct("=4xIIIII")
_CAST = b"\0bpf_rdonly_cast\0"
_PREPARE_EXEC = b"btf_trace_sched_prepare_exec\0"
_CASTING = frozenset({"on_enter", "on_exit_counting"})
_OBSERVING_EXECVE = frozenset({"on_prepare"})
# Code, registers, offset, and a number: that of a map's descriptor, of which only the first part of
# two has one, if the upper register says so.
_INSTRUCTION = struct.Struct("=BBhi")
_LOAD_WIDE = 0x18
_DESCRIPTORS = frozenset({1, 2})
# Sets the result to 0, and returns.
_EMPTY = _INSTRUCTION.pack(0xB7, 0, 0, 0) + _INSTRUCTION.pack(0x95, 0, 0, 0)
_STRUCT = 4
_MISMATCH = "the eBPF program does not fit this version of syswatch: {} differs."


def relocate() -> Relocated:
    """Return the program for the running kernel; an EbpfError if that is not possible."""
    handler = _handler()
    libbpf, programs = handler.libbpf, handler.programs
    programs.clear()
    opened = libbpf.checked_pointer(
        libbpf.bpf_object__open_file(os.fsencode(OBJECT), None), "read the program"
    )
    try:
        maps = _maps(libbpf, opened)
        types = libbpf.bpf_object__btf(opened)
        _check_layout(libbpf, maps, types)
        _choose(libbpf, opened)
        libbpf.checked(libbpf.bpf_object__load(opened), "load the program")
        return Relocated(
            _contents(libbpf, types),
            {name: _spec_of_map(libbpf, each) for name, each in maps.items()},
            {name: _with_maps(each, libbpf, maps) for name, each in programs.items()},
        )
    finally:
        libbpf.bpf_object__close(opened)


@cache
def observes_execve() -> bool:
    """Return whether the kernel has a tracepoint after execve has read its arguments (6.10)."""
    return _PREPARE_EXEC in _known_names()


@cache
def casts_pointers() -> bool:
    """Return whether the kernel lets a program load from any address of its own (6.2)."""
    return _CAST in _known_names()


@cache
def _known_names() -> frozenset[bytes]:
    """Return which names the kernel has; read once, because there are megabytes of them."""
    with _KERNEL_TYPES.open("rb") as types:
        length, *_, names_at, size = _BTF_HEADER.unpack(types.read(_BTF_HEADER.size))
        types.seek(length + names_at)
        names = types.read(size)
    return frozenset(name for name in (_CAST, _PREPARE_EXEC) if name in names)


def _maps(libbpf: Libbpf, opened: int) -> Mapping[str, int]:
    """Return the maps of an object by name."""
    found = {}
    each = libbpf.bpf_object__next_map(opened, None)
    while each:
        name = libbpf.bpf_map__name(each).decode()
        # The names of compiler-generated maps begin with that of the object.
        found[name[name.rindex(".") :] if "." in name else name] = each
        each = libbpf.bpf_object__next_map(opened, each)
    return found


def _choose(libbpf: Libbpf, opened: int) -> None:
    """Choose the programs that the kernel can load, and say what they are attached to."""
    impossible = frozenset[str]()
    if not casts_pointers():
        impossible |= _CASTING
    if not observes_execve():
        impossible |= _OBSERVING_EXECVE
    program = libbpf.bpf_object__next_program(opened, None)
    while program:
        if libbpf.bpf_program__name(program).decode() in impossible:
            libbpf.bpf_program__set_autoload(program, False)  # noqa: FBT003  a function of C
        else:
            _, _, target = libbpf.bpf_program__section_name(program).partition(b"/")
            libbpf.checked(
                libbpf.bpf_program__set_attach_target(program, 0, target), "find a tracepoint"
            )
        program = libbpf.bpf_object__next_program(opened, program)


@define
class _Handler:
    """Takes the programs that libbpf is about to load, and lets it load empty ones instead."""

    libbpf: Libbpf
    programs: dict[str, ProgramSpec] = attrs.field(factory=dict, init=False)
    # It must exist as long as this, and so must the function in it.
    options: HandlerOptions = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Handle all sections."""
        self.options = HandlerOptions(prepare=ON_PROGRAM(self._replace))
        for section, kind in _SECTIONS.items():
            self.libbpf.checked(
                self.libbpf.libbpf_register_prog_handler(
                    section, TRACING, kind, ctypes.byref(self.options)
                ),
                "prepare the program",
            )

    def _replace(self, program: int, options_at: int, _: int) -> int:
        libbpf, options = self.libbpf, ProgramOptions.from_address(options_at)
        size = libbpf.bpf_program__insn_cnt(program) * _INSTRUCTION.size
        functions = options.function_count * options.function_size
        self.programs[libbpf.bpf_program__name(program).decode()] = ProgramSpec(
            options.attach_kind,
            options.target,
            ctypes.string_at(libbpf.bpf_program__insns(program), size),
            (),
            ctypes.string_at(options.functions, functions) if functions else b"",
            options.function_size,
        )
        options.function_count = options.line_count = 0
        number = len(_EMPTY) // _INSTRUCTION.size
        return int(libbpf.bpf_program__set_insns(program, _EMPTY, number))


@cache
def _handler() -> _Handler:
    """Return the only handler.  It stays: without any, libbpf 1.1 uses memory that it has freed."""
    return _Handler(Libbpf())


def _with_maps(program: ProgramSpec, libbpf: Libbpf, maps: Mapping[str, int]) -> ProgramSpec:
    """Return a program with names of maps instead of the descriptors that libbpf has put there."""
    names = {libbpf.bpf_map__fd(each): name for name, each in maps.items()}
    instructions = bytearray(program.instructions)
    used = []
    for number, fields in enumerate(_INSTRUCTION.iter_unpack(program.instructions)):
        code, registers, offset, value = fields
        if code == _LOAD_WIDE and registers >> 4 in _DESCRIPTORS:
            used.append((number, names[value]))
            _INSTRUCTION.pack_into(
                instructions, number * _INSTRUCTION.size, code, registers, offset, 0
            )
    return program._replace(instructions=bytes(instructions), maps=tuple(used))


def _contents(libbpf: Libbpf, types: int) -> bytes:
    """Return type information as bytes."""
    size = ctypes.c_uint32()
    data = libbpf.btf__raw_data(types, ctypes.byref(size))
    return ctypes.string_at(data, size.value)


def _spec_of_map(libbpf: Libbpf, each: int) -> MapSpec:
    return MapSpec(
        libbpf.bpf_map__type(each),
        libbpf.bpf_map__key_size(each),
        libbpf.bpf_map__value_size(each),
        libbpf.bpf_map__max_entries(each),
        libbpf.bpf_map__map_flags(each),
        libbpf.bpf_map__btf_key_type_id(each),
        libbpf.bpf_map__btf_value_type_id(each),
    )


def _check_layout(libbpf: Libbpf, maps: Mapping[str, int], types: int) -> None:
    """Raise an EbpfError if structures of the program have another layout here."""
    for name, size in whole_layout.VALUES.items():
        if libbpf.bpf_map__value_size(maps[name]) != size:
            raise EbpfError(_MISMATCH.format(name))
    for name, structure in whole_layout.STRUCTURES.items():
        number = libbpf.btf__find_by_name_kind(types, name.encode(), _STRUCT)
        if number > 0 and libbpf.members(types, number) != _offsets(structure):
            raise EbpfError(_MISMATCH.format(name))


def _offsets(structure: type[ctypes.Structure]) -> list[tuple[str, int]]:
    return [(field[0], getattr(structure, field[0]).offset) for field in structure._fields_]
