"""Puts the changes together that are one event, such as all that calls did with one more file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from syswatch.base.classes import frozen
from syswatch.model.catalog import executes, model_of, openers

from .change import Change
from .parts import OF_COMMAND
from .run import Figure, Kind

SUMMED = (Figure.COUNT, Figure.BYTES_IN, Figure.BYTES_OUT)
_TIMES = "times"
WELL = " exited with 0"
HOW = re.compile(r" (?:exited with \d+|killed by .*|was still running)$")
# The kernel cuts the names of processes.
_LONGEST_COMM = 15


@frozen
class Event:
    """Changes that belong together; the first one tells the most."""

    changes: tuple[Change, ...]

    @property
    def lead(self) -> Change:
        """The change that tells the most."""
        return self.changes[0]

    def find(self, figure: Figure, call: str | None = None) -> Change | None:
        """Return the change of a figure, or None."""
        return next(
            (
                each
                for each in self.changes
                if each.figure is figure and call in (None, each.subject.call)
            ),
            None,
        )

    @property
    def is_failing(self) -> bool:
        """Return whether all additional calls fail, or all that are missing failed."""
        errors = self.find(Figure.ERRORS, self.lead.subject.call)
        return errors is not None and errors.difference == self.lead.difference


def events(changes: Sequence[Change]) -> list[Event]:
    """Return the events, each change in one of them."""
    rows: dict[tuple[Kind, str, str], list[Change]] = {}
    programs = {each.subject.name for each in changes if each.subject.kind is Kind.PROGRAM}
    aliases = _aliases(changes)
    for each in changes:
        rows.setdefault(_key(each, programs, aliases), []).append(each)
    return [Event(tuple(sorted(group, key=_telling))) for group in rows.values()]


def _key(
    change: Change, programs: Iterable[str], aliases: Mapping[str, str]
) -> tuple[Kind, str, str]:
    kind, name, call = change.subject
    if kind is Kind.PATH:
        return Kind.FILE, aliases.get(name, name), ""
    if kind is Kind.FILE and name in programs and executes(call):
        return Kind.PROGRAM, name, ""
    if kind is Kind.ENDING:
        return _key_of_ending(name, programs)
    if kind is Kind.ERROR:
        return kind, name, call
    return kind, name, _TIMES if kind is Kind.CALL and change.figure not in SUMMED else ""


def _key_of_ending(ending: str, programs: Iterable[str]) -> tuple[Kind, str, str]:
    """Return the event of an ending; that a program also ended well is no event of its own."""
    if ending.startswith(OF_COMMAND):
        return Kind.ENDING, "", ""
    command = HOW.sub("", ending)
    if ending.endswith(WELL):
        for program in programs:
            if program.rpartition("/")[2][:_LONGEST_COMM] == command:
                return Kind.PROGRAM, program, ""
    return Kind.ENDING, command, ""


def _aliases(changes: Iterable[Change]) -> Mapping[str, str]:
    """Return the file for each opened path that leads to it by another name, as far as known."""
    files: dict[str, list[str]] = {}
    for each in changes:
        if each.subject.kind is Kind.FILE and not each.figure.name.startswith("W"):
            names = files.setdefault(each.subject.name.rpartition("/")[2], [])
            names.append(each.subject.name)
    found: dict[str, str] = {}
    for each in changes:
        name = each.subject.name
        if each.subject.kind is Kind.PATH:
            same = files.get(name.rpartition("/")[2], [])
            if same and name not in same:
                found[name] = max(same, key=lambda other: _common_end(name, other))
    return found


def _common_end(one: str, other: str) -> tuple[int, str]:
    """Return how many parts two paths have in common at their ends; the name settles a draw."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)), other


def _telling(change: Change) -> tuple[int, int, str, str]:
    """Return the place of a change in its event: opening a file tells more than closing it."""
    figure, subject = change.figure, change.subject
    is_first = subject.kind is Kind.PROGRAM or (
        model_of(subject.call) in openers() or subject.call in ("connect", "bind")
    )
    if figure is Figure.COUNT:
        place = 0 if is_first else 3 if subject.kind in (Kind.PATH, Kind.ENDING) else 2
    elif figure is Figure.ERRORS and is_first:
        # As many openings as before, but they fail: that tells what became of all other calls.
        place = 1
    else:
        place = 4 + list(Figure).index(figure)
    return place, -abs(change.difference), subject.call, subject.name
