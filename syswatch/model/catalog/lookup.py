"""Looking up a system call by its name."""

from collections.abc import Mapping
from functools import cache, lru_cache

from syswatch.model.call_numbers import table_names
from syswatch.model.catalog import compat
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.documentation import SECTIONS
from syswatch.model.catalog.entry import Argument, Syscall
from syswatch.model.catalog.kinds import ArgumentKind
from syswatch.model.catalog.undocumented import guess, undocumented

_EXECS = frozenset({"execve", "execveat"})


@cache
def documented() -> tuple[Syscall, ...]:
    """Return every documented call, by name; this parses all documentation."""
    return tuple(map(_documented, sorted((*SECTIONS, *compat.names()))))


def lookup(name: str) -> Syscall | None:
    """Return what is known about a call, or None if Linux has no system call of that name."""
    name = _plain(name)
    entry = _entry(name)
    if entry is None and name in table_names():
        return Syscall(name=name, category=guess(name))
    return entry


# Programs try random numbers, which have names, too.
@lru_cache(maxsize=4096)
def arguments_of(name: str) -> tuple[Argument, ...] | None:
    """Return the arguments of a call, None if they are not documented; it parses nothing else."""
    section = SECTIONS.get(model_of(_plain(name)))
    return None if section is None else section.arguments()


@lru_cache(maxsize=4096)
def kinds_of(name: str) -> tuple[ArgumentKind, ...]:
    """Return the kinds of the arguments of a call; none if they are not documented."""
    section = SECTIONS.get(model_of(_plain(name)))
    return () if section is None else section.kinds()


def model_of(name: str) -> str:
    """Return the 64-bit call that does the same as a 32-bit one; other names as they are."""
    return compat.model_of(name)


def category_of(name: str) -> Category:
    """Return the category of a call; of an unknown one, that of its family, or OTHER."""
    name = _plain(name)
    entry = _entry(name)
    return entry.category if entry is not None else guess(name)


def can_wait(name: str) -> bool:
    """Return whether the purpose of a call is, or may be, to wait."""
    entry = _entry(_plain(name))
    return entry is not None and entry.can_wait


def executes(name: str) -> bool:
    """Return whether a call executes a program."""
    return _plain(name) in _EXECS


@cache
def openers() -> Mapping[str, int]:
    """Return the calls that open a file by a path, each with the index of that argument."""
    return {
        name: section.kinds().index(ArgumentKind.PATH)
        for name, section in SECTIONS.items()
        if section.opens
    }


def _plain(name: str) -> str:
    """Return a name without its mark: `write@i386` is the write of a 32-bit program."""
    return name.partition("@")[0]


def _entry(name: str) -> Syscall | None:
    return _documented(name) if model_of(name) in SECTIONS else _undocumented().get(name)


@cache
def _documented(name: str) -> Syscall:
    model = model_of(name)
    return SECTIONS[name].entry() if model == name else compat.derived(name, _documented(model))


@cache
def _undocumented() -> Mapping[str, Syscall]:
    return {entry.name: entry for entry in undocumented()}
