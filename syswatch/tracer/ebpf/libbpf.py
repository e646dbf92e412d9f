"""
Bindings to libbpf.

The functions are called with the interpreter lock held, which costs less: this process has one
thread, except while a program is loaded, and what takes long then is called without it.
"""

import ctypes
import errno
import os
from ctypes import (
    POINTER,
    c_bool,
    c_char_p,
    c_int,
    c_long,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict, explain_ebpf_denied
from syswatch.machine.limits import describe
from syswatch.model.backends import EBPF
from syswatch.tracer.errors import BackendRefusedError

SONAME = EBPF.requires.library
# The numbers of bpf(2): the type of all programs, and how they are attached.
TRACING = 26
RAW_TRACEPOINT = 23
ITERATOR = 28
ON_SAMPLE = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
# It is called where the interpreter lock is not held.
ON_PROGRAM = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_long)

_FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "libbpf_set_print": (c_void_p, (c_void_p,)),
    "libbpf_version_string": (c_char_p, ()),
    "libbpf_num_possible_cpus": (c_int, ()),
    "libbpf_register_prog_handler": (c_int, (c_char_p, c_int, c_int, c_void_p)),
    "bpf_object__open_file": (c_void_p, (c_char_p, c_void_p)),
    "bpf_object__close": (None, (c_void_p,)),
    "bpf_object__btf": (c_void_p, (c_void_p,)),
    "bpf_object__next_map": (c_void_p, (c_void_p, c_void_p)),
    "bpf_object__next_program": (c_void_p, (c_void_p, c_void_p)),
    "bpf_map__name": (c_char_p, (c_void_p,)),
    "bpf_map__fd": (c_int, (c_void_p,)),
    "bpf_map__type": (c_int, (c_void_p,)),
    "bpf_map__key_size": (c_uint32, (c_void_p,)),
    "bpf_map__value_size": (c_uint32, (c_void_p,)),
    "bpf_map__max_entries": (c_uint32, (c_void_p,)),
    "bpf_map__map_flags": (c_uint32, (c_void_p,)),
    "bpf_map__btf_key_type_id": (c_uint32, (c_void_p,)),
    "bpf_map__btf_value_type_id": (c_uint32, (c_void_p,)),
    "bpf_program__name": (c_char_p, (c_void_p,)),
    "bpf_program__section_name": (c_char_p, (c_void_p,)),
    "bpf_program__insns": (c_void_p, (c_void_p,)),
    "bpf_program__insn_cnt": (c_size_t, (c_void_p,)),
    "bpf_program__set_insns": (c_int, (c_void_p, c_char_p, c_size_t)),
    "bpf_program__set_autoload": (c_int, (c_void_p, c_bool)),
    "bpf_program__set_attach_target": (c_int, (c_void_p, c_int, c_char_p)),
    "bpf_btf_load": (c_int, (c_char_p, c_size_t, c_void_p)),
    "bpf_map_create": (c_int, (c_int, c_char_p, c_uint32, c_uint32, c_uint32, c_void_p)),
    "bpf_map_freeze": (c_int, (c_int,)),
    "bpf_map_update_elem": (c_int, (c_int, c_void_p, c_void_p, c_uint64)),
    "bpf_map_lookup_elem": (c_int, (c_int, c_void_p, c_void_p)),
    "bpf_map_delete_elem": (c_int, (c_int, c_void_p)),
    "bpf_map_lookup_batch": (
        c_int,
        (c_int, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_uint32), c_void_p),
    ),
    "bpf_obj_get_info_by_fd": (c_int, (c_int, c_void_p, POINTER(c_uint32))),
    "bpf_raw_tracepoint_open": (c_int, (c_char_p, c_int)),
    "bpf_link_create": (c_int, (c_int, c_int, c_int, c_void_p)),
    "bpf_iter_create": (c_int, (c_int,)),
    "bpf_enable_stats": (c_int, (c_int,)),
    "ring_buffer__new": (c_void_p, (c_int, ON_SAMPLE, c_void_p, c_void_p)),
    "ring_buffer__consume": (c_int, (c_void_p,)),
    "ring_buffer__free": (None, (c_void_p,)),
    "btf__find_by_name_kind": (c_int, (c_void_p, c_char_p, c_uint32)),
    "btf__type_by_id": (c_void_p, (c_void_p, c_uint32)),
    "btf__name_by_offset": (c_char_p, (c_void_p, c_uint32)),
    "btf__raw_data": (c_void_p, (c_void_p, POINTER(c_uint32))),
}
# Without the interpreter lock: these take most of the time until a trace begins.
_LONG = {
    "bpf_object__load": ctypes.CFUNCTYPE(c_int, c_void_p, use_errno=True),
    "bpf_prog_load": ctypes.CFUNCTYPE(
        c_int, c_int, c_char_p, c_char_p, c_void_p, c_size_t, c_void_p, use_errno=True
    ),
}


class _Options(ctypes.Structure):
    """Options of a function, which begin with their size: libbpf may know more or fewer."""

    def __init__(self, **values: object) -> None:
        super().__init__(ctypes.sizeof(self), **values)


class MapOptions(_Options):
    """struct bpf_map_create_opts."""

    _fields_ = (
        ("size", c_size_t),
        ("types", c_uint32),
        ("key_type", c_uint32),
        ("value_type", c_uint32),
        ("kernel_value_type", c_uint32),
        ("inner_map", c_uint32),
        ("flags", c_uint32),
        ("extra", c_uint64),
        ("numa_node", c_uint32),
        ("device", c_uint32),
    )


class ProgramOptions(_Options):
    """The beginning of struct bpf_prog_load_opts."""

    _fields_ = (
        ("size", c_size_t),
        ("attempts", c_int),
        ("attach_kind", c_int),
        ("types", c_uint32),
        ("flags", c_uint32),
        ("device", c_uint32),
        ("kernel_version", c_uint32),
        ("target", c_uint32),
        ("target_program", c_uint32),
        ("target_types", c_uint32),
        ("descriptors", c_void_p),
        ("functions", c_void_p),
        ("function_count", c_uint32),
        ("function_size", c_uint32),
        ("lines", c_void_p),
        ("line_count", c_uint32),
        ("line_size", c_uint32),
    )


class HandlerOptions(_Options):
    """struct libbpf_prog_handler_opts."""

    _fields_ = (
        ("size", c_size_t),
        ("cookie", c_long),
        ("set_up", c_void_p),
        ("prepare", ON_PROGRAM),
        ("attach", c_void_p),
    )


class ProgramInfo(ctypes.Structure):
    """The beginning of struct bpf_prog_info."""

    _fields_ = (("others", c_uint8 * 208), ("recursion_misses", c_uint64))


class EbpfError(BackendRefusedError):
    """eBPF cannot be used."""


class Libbpf(ctypes.PyDLL):
    """libbpf with declared types; its own messages, which are misleading, are suppressed."""

    def __init__(self) -> None:
        try:
            super().__init__(SONAME, use_errno=True)
        except OSError as error:
            raise EbpfError(_or_what_is_missing(str(error))) from error
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self, name)
            function.restype = result
            function.argtypes = arguments
        for name, declared in _LONG.items():
            setattr(self, name, declared((name, self)))
        self.libbpf_set_print(None)

    def checked(self, result: int, what: str) -> int:
        """Return a result; an EbpfError if it is negative."""
        if result < 0:
            raise EbpfError(refusal(what, -result if result != -1 else ctypes.get_errno()))
        return result

    def checked_pointer(self, result: int | None, what: str) -> int:
        """Return a pointer; an EbpfError if it is null."""
        if not result:
            raise EbpfError(refusal(what, ctypes.get_errno()))
        return result

    def members(self, types: int, number: int) -> list[tuple[str, int]]:
        """Return the members of a structure with their offsets, from type information."""
        address = self.btf__type_by_id(types, number)
        _, info, _ = (c_uint32 * 3).from_address(address)
        members = (c_uint32 * 3 * (info & 0xFFFF)).from_address(address + 12)
        return [
            (self.btf__name_by_offset(types, name).decode(), bits // 8) for name, _, bits in members
        ]


def refusal(what: str, number: int) -> str:
    """Return why the kernel may have refused something."""
    if number in {errno.EPERM, errno.EACCES}:
        return explain_ebpf_denied(read_facts(traceme=lambda: 0))
    why = describe(OSError(number, os.strerror(number)))
    return _or_what_is_missing(f"the kernel refused to {what}: {why}")


def _or_what_is_missing(reason: str) -> str:
    """Return what is missing on this machine, or else the reason, which is less helpful."""
    facts = read_facts(traceme=lambda: 0)
    if backend_verdict(EBPF, facts).usable:
        return f"eBPF cannot be used: {reason}."
    return explain_ebpf_denied(facts)
