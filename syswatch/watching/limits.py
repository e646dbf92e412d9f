"""Limits for what was seen: a budget, as of `syswatch check`, given as arguments."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from syswatch.base.classes import frozen
from syswatch.checking.budget import TOTAL, Banned, Budget, Measure
from syswatch.checking.errnos import is_errno
from syswatch.checking.evaluation import evaluate
from syswatch.checking.observed import observe
from syswatch.checking.reading import BudgetError, budget_of
from syswatch.checking.result import Finding
from syswatch.checking.sentences import in_line

from .errors import WatchError
from .seen import Seen

# A limit of everything, or limits by the keys of the table in a budget.
Maxima = int | str | Mapping[str, Any] | None
Texts = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_MAXIMA: Final = {
    "max": Measure.CALLS,
    "max_errors": Measure.ERRORS,
    "max_bytes_in": Measure.BYTES_IN,
    "max_bytes_out": Measure.BYTES_OUT,
    "max_waiting": Measure.WAITING,
}
_BANS: Final = {
    "": Banned.CALLS,
    "_paths": Banned.PATHS,
    "_peers": Banned.PEERS,
    "_programs": Banned.PROGRAMS,
}
# Where each argument is in a budget.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: tuple(measure.key.split(".")) for name, measure in _MAXIMA.items()},
    **{f"forbid{kind}": ("forbidden", banned.key) for kind, banned in _BANS.items()},
    **{f"allow{kind}": ("allowed", banned.key) for kind, banned in _BANS.items()},
    "tolerance": ("tolerance",),
}
_TITLES: Final = {keys: name for name, keys in _TABLES.items()}


def _as_texts(given: Texts) -> list[str]:
    """Return several texts; a single one is not a sequence of characters."""
    several = [given] if isinstance(given, str | os.PathLike) else given
    return [os.fspath(each) for each in several]


def _as_table(given: Maxima) -> Maxima:
    """Return limits by key; a single one is for everything."""
    return given if isinstance(given, Mapping | None) else {TOTAL: given}


def _as_errors(given: Maxima) -> Maxima:
    """Return limits of errors; the key `connect.ECONNREFUSED` is read as TOML reads it."""
    table = _as_table(given)
    if not isinstance(table, Mapping):
        return table
    read = dict(table)
    for key in table:
        call, _, errno = key.rpartition(".")
        if call and is_errno(errno):
            others = read.get(call, {})
            others = others if isinstance(others, Mapping) else {"max": others}
            read[call] = {**others, errno: read.pop(key)}
    return read


@frozen
class Limits:
    """What is allowed: the tables of a budget, most of them under shorter names."""

    max: Maxima = attrs.field(default=None, converter=_as_table)
    max_errors: Maxima = attrs.field(default=None, converter=_as_errors)
    max_bytes_in: Maxima = attrs.field(default=None, converter=_as_table)
    max_bytes_out: Maxima = attrs.field(default=None, converter=_as_table)
    max_waiting: Maxima = attrs.field(default=None, converter=_as_table)
    forbid: Texts = attrs.field(default=(), converter=_as_texts)
    forbid_paths: Texts = attrs.field(default=(), converter=_as_texts)
    forbid_peers: Texts = attrs.field(default=(), converter=_as_texts)
    forbid_programs: Texts = attrs.field(default=(), converter=_as_texts)
    allow: Texts = attrs.field(default=(), converter=_as_texts)
    allow_paths: Texts = attrs.field(default=(), converter=_as_texts)
    allow_peers: Texts = attrs.field(default=(), converter=_as_texts)
    allow_programs: Texts = attrs.field(default=(), converter=_as_texts)
    tolerance: str | None = None
    _budget: Budget | None = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Read the limits: one that nothing can exceed is a mistake."""
        object.__setattr__(self, "_budget", self._read())

    def exceeded(self, seen: Seen) -> tuple[str, ...]:
        """
        Return a sentence for each limit that was exceeded, with what contributed to it.

        One that may have been exceeded, because calls were lost, counts as exceeded.
        """
        if self._budget is None:
            return ()
        result = evaluate(self._budget, observe(seen.run))
        return tuple(map(_told, result.failures))

    def _read(self) -> Budget | None:
        """Return the limits as a budget, None if there are none."""
        tables: dict[str, Any] = {}
        for keys, value in self._given():
            table = tables
            for key in keys[:-1]:
                table = table.setdefault(key, {})
            table[keys[-1]] = value
        if not tables:
            return None
        # An exception without anything to except is a mistake that the reader explains.
        tables.setdefault("forbidden", {})
        try:
            return budget_of(tables, _TITLES)
        except BudgetError as error:
            raise WatchError(str(error)) from error

    def _given(self) -> Iterator[tuple[tuple[str, ...], object]]:
        """Yield the arguments that limit something, and their places in a budget."""
        for name, keys in _TABLES.items():
            value = getattr(self, name)
            if value not in (None, [], {}):
                yield keys, value


def _told(finding: Finding) -> str:
    return "\n".join((finding.sentence, *(f"  {in_line(each)}" for each in finding.offenders)))
