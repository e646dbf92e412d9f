"""Selecting calls by the files that they refer to."""

import ctypes
import os
from collections.abc import Sequence

from . import layout
from .program import Program


def select_paths(program: Program, paths: Sequence[str]) -> None:
    """
    Count only calls that name one of these paths or have a descriptor of one of the files.

    Names are compared as texts.  A file is identified by an open descriptor of this process; files
    that are opened later under a selected name are found by the program itself.
    """
    for name in {*paths, *map(os.path.realpath, paths)}:
        _select_name(program, os.fsencode(name))
        try:
            descriptor = os.open(name, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        program.show(descriptor)
        os.close(descriptor)


def _select_name(program: Program, path: bytes) -> None:
    key = ctypes.create_string_buffer(path, layout.LONG_PATH)
    yes = ctypes.c_uint8(1)
    program.libbpf.checked(
        program.libbpf.bpf_map_update_elem(program.fd("wanted_paths"), key, ctypes.byref(yes), 0),
        "select calls by a path",
    )
