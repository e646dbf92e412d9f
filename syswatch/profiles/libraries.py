"""The calls that programs and libraries are likely to make, from the files on this machine."""

from collections.abc import Collection, Iterator, Mapping
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
    unreadable = []
    for path in sorted(files):
        try:
            found = _calls_of(path)
        except OSError:
            unreadable.append(path)
            continue
        for call, because in found.items():
            calls.setdefault(call, because)
    return Likely(calls, tuple(_notes(files, unreadable)))


def _notes(files: Collection[str], unreadable: Collection[str]) -> Iterator[str]:
    if not files:
        yield "it is not known which programs and libraries were loaded"
    if unreadable:
        shown = ", ".join(list(unreadable)[:_MOST_NAMED])
        more = len(unreadable) - _MOST_NAMED
        yield (
            f"files that were loaded cannot be read on this machine: {shown}"
            f"{f' and {more} more' if more > 0 else ''}"
        )


def _calls_of(path: str) -> Mapping[str, str]:
    file = Path(path).resolve()
    status = file.stat()
    return _calls_of_version(path, file, status.st_size, status.st_mtime_ns)


@lru_cache(_MOST_KEPT)
def _calls_of_version(path: str, file: Path, _size: int, _changed_ns: int) -> Mapping[str, str]:
    with open_regular(file) as content:
        return likely_calls(imported_functions(content.read(_LARGEST)), path)
