"""The calls that programs and libraries are likely to make, from the files on this machine."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from syswatch.machine.regular_files import open_regular

from .elf_imports import imported_functions
from .likely import Likely, likely_calls

_LARGEST: Final = 1 << 30
_MOST_NAMED: Final = 3
# A program loads some dozens; a server asks for the same again and again.
_MOST_KEPT: Final = 1024


def likely_of(files: Collection[str]) -> Likely:
    """Return the calls that the functions make which the files import."""
    calls: dict[str, str] = {}
    unreadable, static = [], []
    for path in sorted(files):
        try:
            found = _calls_of(path)
        except OSError:
            unreadable.append(path)
            continue
        if found is None:
            static.append(path)
            continue
        for call, because in found.items():
            calls.setdefault(call, because)
    notes = (
        "" if files else "it is not known which programs and libraries were loaded",
        _about("files that were loaded cannot be read on this machine", unreadable),
        _about("static programs import nothing", static),
    )
    return Likely(calls, tuple(filter(None, notes)))


def _about(what: str, files: Sequence[str]) -> str:
    """Return a sentence about files, empty if there are none."""
    more = len(files) - _MOST_NAMED
    shown = ", ".join(files[:_MOST_NAMED])
    return f"{what}: {shown}{f' and {more} more' if more > 0 else ''}" if files else ""


def _calls_of(path: str) -> Mapping[str, str] | None:
    file = Path(path).resolve()
    status = file.stat()
    return _calls_of_version(path, file, status.st_size, status.st_mtime_ns)


@lru_cache(_MOST_KEPT)
def _calls_of_version(
    path: str, file: Path, _size: int, _changed_ns: int
) -> Mapping[str, str] | None:
    with open_regular(file) as content:
        functions = imported_functions(content.read(_LARGEST))
    return None if functions is None else likely_calls(functions, path)
