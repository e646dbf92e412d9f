"""Single entries of an array, read without mapping it."""

import ctypes
from collections.abc import Callable
from functools import partial

import attrs

from syswatch.base.classes import define

from .program import Program


@define
class ArrayEntries:
    """Reads entries of a large array of which few are used; each takes a system call."""

    program: Program
    name: str
    # Of one entry.
    size: int
    # They are used again, because making them takes as long as the call.
    _place: ctypes.c_uint32 = attrs.field(factory=ctypes.c_uint32, init=False)
    _value: "ctypes.Array[ctypes.c_char]" = attrs.field(init=False)
    _look_up: Callable[[], int] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the call."""
        program, place = self.program, ctypes.byref(self._place)
        self._value = ctypes.create_string_buffer(self.size)
        look_up = program.libbpf.bpf_map_lookup_elem
        self._look_up = partial(look_up, program.fd(self.name), place, self._value)

    def read(self, place: int) -> bytes:
        """Return a copy of an entry."""
        self._place.value = place
        self.program.libbpf.checked(self._look_up(), "read a map")
        return self._value.raw
