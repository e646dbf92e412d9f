"""A budget: the most calls, errors, bytes and time, and what is forbidden."""

import enum
import posixpath
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.comparison.run import Figure, Kind
from syswatch.model.catalog import plain_name

from .amounts import NO_TOLERANCE, Tolerance, Unit
from .patterns import Pattern

# The key for all calls of a run.
TOTAL: Final = "total"


class Measure(enum.Enum):
    """What is limited by a table of a budget: the key of the table, and the figure."""

    CALLS = "calls", Figure.COUNT, Unit.CALLS
    ERRORS = "errors", Figure.ERRORS, Unit.CALLS
    BYTES_IN = "bytes.in", Figure.BYTES_IN, Unit.BYTES
    BYTES_OUT = "bytes.out", Figure.BYTES_OUT, Unit.BYTES
    WAITING = "waiting", Figure.WAITING, Unit.TIME

    def __init__(self, key: str, figure: Figure, unit: Unit) -> None:
        self.key = key
        self.figure = figure
        self.unit = unit


class Banned(enum.Enum):
    """What can be forbidden: the key of its list, and how one is called."""

    CALLS = "calls", "call"
    PATHS = "paths", "path"
    PEERS = "peers", "peer"
    PROGRAMS = "programs", "program"

    def __init__(self, key: str, one: str) -> None:
        self.key = key
        self.one = one


# The kinds of subjects that can be new, by the word in the budget.
NEW_KINDS: Final = {
    "calls": (Kind.CALL,),
    "errors": (Kind.ERROR,),
    "paths": (Kind.PATH, Kind.FILE),
    "peers": (Kind.PEER,),
    "programs": (Kind.PROGRAM,),
}


@frozen
class Place:
    """Where an entry is written: the keys that lead to it, and which element of a list it is."""

    keys: tuple[str, ...]
    element: str = ""

    @property
    def text(self) -> str:
        """The place for people, such as `calls.openat`."""
        name = ".".join(self.keys)
        return escape_text(f"{name} '{self.element}'" if self.element else name)


@frozen
class Maximum:
    """The most of one figure, for a call, a class, an errno, or the whole run."""

    place: Place
    measure: Measure
    # The key: `total`, a call, or any other expression of --trace.
    subject: str
    most: int
    # The calls that are meant; None means all of them.
    calls: frozenset[str] | None = None
    errno: str = ""
    tolerance: Tolerance = NO_TOLERANCE

    @property
    def limit(self) -> int:
        """The largest value that is within the budget."""
        return self.most + self.tolerance.beyond(self.most)

    def includes(self, call: str) -> bool:
        """Return whether a call is meant; one of the 32-bit interface counts as its namesake."""
        return self.calls is None or plain_name(call) in self.calls


@frozen
class Ban:
    """A forbidden call, path, peer or program, and the exceptions from that."""

    place: Place
    banned: Banned
    pattern: Pattern
    allowed: tuple[Pattern, ...] = ()

    def forbids(self, names: Sequence[str]) -> bool:
        """Return whether something is forbidden that has one name or several."""
        return any(map(self.pattern.matches, names)) and not any(
            each.matches(name) for each in self.allowed for name in names
        )

    def may_forbid(self, path: str) -> bool:
        """Return whether a path is forbidden that has no directory, or one before `..` no link."""
        if any(each.matches(path) for each in self.allowed):
            return False
        plain = posixpath.normpath(path)
        if path.startswith("/"):
            return plain != path and self.forbids((plain,))
        while plain.startswith("../"):
            plain = plain[3:]
        return self.pattern.may_end(plain)


@frozen
class NothingNew:
    """Sources of runs, and what a run may have only if one of them has it."""

    place: Place
    since: tuple[str, ...]
    kinds: frozenset[Kind]


Entry = Maximum | Ban | NothingNew


@frozen
class Budget:
    """All entries of a file."""

    file: Path
    entries: tuple[Entry, ...]
    # Whether an entry that cannot be decided, because numbers are missing, counts as exceeded.
    inexact_fails: bool = True
    # Returns the line of an entry, or 0 if it is not known; finding it takes a while.
    locate: Callable[[Place], int] = attrs.field(default=lambda _: 0, eq=False, repr=False)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The sources of the runs that nothing may be new to."""
        return tuple(
            each for entry in self.entries if isinstance(entry, NothingNew) for each in entry.since
        )

    def line(self, entry: Entry) -> int:
        """Return the line of an entry, or 0 if that is not known."""
        return self.locate(entry.place)
