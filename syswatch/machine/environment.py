"""The environment that this process was started with."""

import ctypes
import os

from .proc import read_stat

# Fields of /proc/self/stat after the name: where the strings of the environment begin and end.
_START, _END = 47, 48


def given_environment() -> dict[str, str]:
    """
    Return the environment that this program was started with.

    `os.environ` differs from it: the interpreter sets LC_CTYPE if the locale is C (PEP 538), and
    the C library removes LD_LIBRARY_PATH and others from a program with file capabilities.
    """
    return parse_environment(_initial_strings())


def parse_environment(block: bytes) -> dict[str, str]:
    """Return the variables of a block of strings, each ended by a NUL; the first of a name wins."""
    environment: dict[str, str] = {}
    for string in block.split(b"\0"):
        name, separator, value = string.partition(b"=")
        if name and separator:
            environment.setdefault(os.fsdecode(name), os.fsdecode(value))
    return environment


def _initial_strings() -> bytes:
    # Read from where the kernel has put them; /proc/self/environ shows the same memory, but is not
    # readable if the interpreter has file capabilities.
    stat = read_stat()
    if stat is None:
        raise FileNotFoundError("/proc/self/stat")
    start, end = int(stat.fields[_START]), int(stat.fields[_END])
    return ctypes.string_at(start, end - start)
