"""
Bindings to libbpf.

The functions are called with the interpreter lock held, which costs less: this process has one
thread, except while a program is loaded.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Callable
from ctypes import POINTER, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from threading import Thread

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict, explain_ebpf_denied
from syswatch.machine.limits import describe
from syswatch.model.backends import EBPF
from syswatch.tracer.dispositions import reserved_signals_kept
from syswatch.tracer.errors import BackendRefusedError

SONAME = EBPF.requires.library
ON_SAMPLE = ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
# Without the interpreter lock.
_LOAD = ctypes.CFUNCTYPE(c_int, c_void_p, use_errno=True)
_KERNEL_TYPES = Path("/sys/kernel/btf/vmlinux")
# The length of the header, where types and names are behind it, and their sizes.
_BTF_HEADER = struct.Struct("=4xIIIII")
_CAST = b"\0bpf_rdonly_cast\0"
_PREPARE_EXEC = b"btf_trace_sched_prepare_exec\0"

_FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "libbpf_set_print": (c_void_p, (c_void_p,)),
    "bpf_object__open_file": (c_void_p, (c_char_p, c_void_p)),
    "bpf_object__close": (None, (c_void_p,)),
    "bpf_object__btf": (c_void_p, (c_void_p,)),
    "bpf_object__next_map": (c_void_p, (c_void_p, c_void_p)),
    "bpf_object__next_program": (c_void_p, (c_void_p, c_void_p)),
    "bpf_map__name": (c_char_p, (c_void_p,)),
    "bpf_map__fd": (c_int, (c_void_p,)),
    "bpf_map__value_size": (c_uint32, (c_void_p,)),
    "bpf_map__set_max_entries": (c_int, (c_void_p, c_uint32)),
    "bpf_map__set_initial_value": (c_int, (c_void_p, c_void_p, c_size_t)),
    "bpf_program__name": (c_char_p, (c_void_p,)),
    "bpf_program__fd": (c_int, (c_void_p,)),
    "bpf_program__set_autoload": (c_int, (c_void_p, c_bool)),
    "bpf_obj_get_info_by_fd": (c_int, (c_int, c_void_p, POINTER(c_uint32))),
    "bpf_program__attach": (c_void_p, (c_void_p,)),
    "bpf_program__attach_iter": (c_void_p, (c_void_p, c_void_p)),
    "bpf_link__fd": (c_int, (c_void_p,)),
    "bpf_link__destroy": (c_int, (c_void_p,)),
    "bpf_iter_create": (c_int, (c_int,)),
    "bpf_map_update_elem": (c_int, (c_int, c_void_p, c_void_p, ctypes.c_uint64)),
    "bpf_map_delete_elem": (c_int, (c_int, c_void_p)),
    "bpf_map_lookup_batch": (
        c_int,
        (c_int, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_uint32), c_void_p),
    ),
    "libbpf_num_possible_cpus": (c_int, ()),
    "bpf_enable_stats": (c_int, (c_int,)),
    "ring_buffer__new": (c_void_p, (c_int, ON_SAMPLE, c_void_p, c_void_p)),
    "ring_buffer__consume": (c_int, (c_void_p,)),
    "ring_buffer__free": (None, (c_void_p,)),
    "btf__find_by_name_kind": (c_int, (c_void_p, c_char_p, c_uint32)),
    "btf__type_by_id": (c_void_p, (c_void_p, c_uint32)),
    "btf__name_by_offset": (c_char_p, (c_void_p, c_uint32)),
}


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
        self.libbpf_set_print(None)

    def load(self, opened: int, meanwhile: Callable[[], object]) -> None:
        """Load a program, and call a function while the kernel verifies it."""
        load = _LOAD(("bpf_object__load", self))
        results: list[int] = []

        def load_here() -> None:
            result = load(opened)
            # The number of an error belongs to this thread.
            results.append(-ctypes.get_errno() if result == -1 else result)

        thread = Thread(target=load_here)
        with reserved_signals_kept():
            try:
                thread.start()
            except RuntimeError:  # There are as many threads as the user may have.
                load_here()
            try:
                meanwhile()
            finally:
                if thread.ident is not None:
                    thread.join()
        if results[0] < 0:
            raise EbpfError(refusal("load the program", -results[0]))

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
