"""The calls that programs and libraries are likely to make, from the files on this machine."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from syswatch.profiles.elf_imports import imported_functions
from syswatch.profiles.likely import likely_calls
from syswatch.recording.regular import open_regular

_LARGEST = 1 << 30


@attrs.frozen
class Likely:
    """The calls with a reason for each, and the files that could not be read."""

    calls: Mapping[str, str]
    unreadable: tuple[str, ...]


def likely_of(files: Iterable[str]) -> Likely:
    """Return the calls that the functions make which the files import."""
    calls: dict[str, str] = {}
    unreadable = []
    for path in sorted(files):
        try:
            with open_regular(Path(path).resolve()) as file:
                functions = imported_functions(file.read(_LARGEST))
        except OSError:
            unreadable.append(path)
            continue
        for call, because in likely_calls(functions, path).items():
            calls.setdefault(call, because)
    return Likely(calls, tuple(unreadable))
