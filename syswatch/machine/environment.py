"""The strings that this process was started with: its command line and its environment."""

import ctypes
import os
from collections.abc import Collection, Iterator

from .proc import read_stat

# Fields of /proc/self/stat after the name: where the strings of each begin and end.
_COMMAND_LINE = 45, 46
_ENVIRONMENT = 47, 48


def given_environment() -> dict[str, str]:
    """
    Return the environment that this program was started with.

    `os.environ` differs from it: the interpreter sets LC_CTYPE if the locale is C (PEP 538), and
    the C library removes LD_LIBRARY_PATH and others from a program with file capabilities.
    """
    return parse_environment(_strings(*_ENVIRONMENT)[1])


def parse_environment(block: bytes) -> dict[str, str]:
    """Return the variables of a block of strings, each ended by a NUL; the first of a name wins."""
    environment: dict[str, str] = {}
    for string in block.split(b"\0"):
        name, separator, value = string.partition(b"=")
        if name and separator:
            environment.setdefault(os.fsdecode(name), os.fsdecode(value))
    return environment


def erase_variables(names: Collection[str]) -> None:
    """Erase variables from the given environment and from `os.environ`."""
    for name in names:
        os.environ.pop(name, None)
    erased = set(map(os.fsencode, names))
    start, block = _strings(*_ENVIRONMENT)
    for offset, string in _with_offsets(block):
        if string.partition(b"=")[0] in erased:
            ctypes.memset(start + offset, 0, len(string))


def show_command_line(text: str) -> None:
    """Show a text, cut to the length of the given command line, in place of it in /proc and ps."""
    start, block = _strings(*_COMMAND_LINE)
    if block:
        # The last byte stays a NUL: without it the kernel would show the environment, too.
        shown = os.fsencode(text)[: len(block) - 1].ljust(len(block), b"\0")
        ctypes.memmove(start, shown, len(block))


def _with_offsets(block: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    for string in block.split(b"\0"):
        yield offset, string
        offset += len(string) + 1


def _strings(first: int, last: int) -> tuple[int, bytes]:
    """Return the address and the contents of a block of strings, by two fields of the stat."""
    # Read from where the kernel has put them; the files in /proc show the same memory, but are not
    # readable if the interpreter has file capabilities.
    stat = read_stat()
    if stat is None:
        raise FileNotFoundError("/proc/self/stat")
    start, end = int(stat.fields[first]), int(stat.fields[last])
    return start, ctypes.string_at(start, end - start)
