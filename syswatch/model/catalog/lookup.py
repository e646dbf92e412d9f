"""Looking up by its name what a tracer needs of a system call."""

from collections.abc import Mapping
from functools import cache, lru_cache

from syswatch.model.catalog import compat
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.documentation import SECTIONS, Section
from syswatch.model.catalog.entry import Argument, Syscall
from syswatch.model.catalog.kinds import ArgumentKind
from syswatch.model.catalog.undocumented import guess, undocumented

_EXECS = frozenset({"execve", "execveat"})


# Programs try random numbers, which have names, too.
@lru_cache(maxsize=4096)
def arguments_of(name: str) -> tuple[Argument, ...] | None:
    """Return the arguments of a call, None if they are not documented; it parses nothing else."""
    section = SECTIONS.get(model_of(plain_name(name)))
    return None if section is None else section.arguments()


@lru_cache(maxsize=4096)
def kinds_of(name: str) -> tuple[ArgumentKind, ...]:
    """Return the kinds of the arguments of a call; none if they are not documented."""
    section = SECTIONS.get(model_of(plain_name(name)))
    return () if section is None else section.kinds()


def model_of(name: str) -> str:
    """Return the 64-bit call that does the same as a 32-bit one; other names as they are."""
    return compat.model_of(name)


@lru_cache(maxsize=4096)
def category_of(name: str) -> Category:
    """Return the category of a call; of an unknown one, that of its family, or OTHER."""
    name = plain_name(name)
    found = _described(name)
    return guess(name) if found is None else found.category


@lru_cache(maxsize=4096)
def can_wait(name: str) -> bool:
    """Return whether the purpose of a call is, or may be, to wait."""
    found = _described(plain_name(name))
    return found is not None and found.can_wait


def executes(name: str) -> bool:
    """Return whether a call executes a program."""
    return plain_name(name) in _EXECS


@cache
def openers() -> Mapping[str, int]:
    """Return the calls that open a file by a path, each with the index of that argument."""
    return {
        name: section.kinds().index(ArgumentKind.PATH)
        for name, section in SECTIONS.items()
        if section.opens
    }


def plain_name(name: str) -> str:
    """Return a name without its mark: `write@i386` is the write of a 32-bit program."""
    return name.partition("@")[0]


def _described(name: str) -> Section | Syscall | None:
    """Return what has the category of a call, and whether it can wait; None if it is unknown."""
    return SECTIONS.get(model_of(name)) or undocumented().get(name)
