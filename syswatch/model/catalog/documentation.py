"""
The documentation of system calls, from the files in `tables`.

A tracer needs little of it, and a program is stopped while its call is looked up.  So that is found
in the text, and `entries` parses the rest for views.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import CATEGORIES, Argument, arguments_in
from syswatch.model.catalog.kinds import ArgumentKind

_TABLES = Path(__file__).with_name("tables")
_HEADING = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
# These values are strings without escapes.
_CATEGORY, _SIGNATURE, _KINDS = (
    re.compile(rf'^{name} = "(?:""(.*?)"")?([^"]*)"$', re.MULTILINE | re.DOTALL)
    for name in ("category", "signature", "kinds")
)
_CAN_WAIT, _OPENS = (f"\n{name} = true\n" for name in ("can_wait", "opens"))


@frozen
class Section:
    """The part of a file that documents one call."""

    file: str
    call: str
    text: str

    @property
    def category(self) -> Category:
        """The category of the call."""
        return CATEGORIES[self._value(_CATEGORY)]

    @property
    def can_wait(self) -> bool:
        """Whether the purpose of the call is, or may be, to wait."""
        return _CAN_WAIT in self.text

    @property
    def opens(self) -> bool:
        """Whether the call opens a file by a path."""
        return _OPENS in self.text

    def arguments(self) -> tuple[Argument, ...]:
        """Return the arguments; parsing the rest takes ten times as long."""
        return arguments_in(self._value(_SIGNATURE).strip(), self._value(_KINDS).split())

    def kinds(self) -> tuple[ArgumentKind, ...]:
        """Return the kinds of the arguments, in a third of that time."""
        return tuple(map(ArgumentKind, self._value(_KINDS).split()))

    def _value(self, field: re.Pattern[str]) -> str:
        match = field.search(self.text)
        return match[1] or match[2] if match else ""


def split(file: str, text: str) -> Iterator[Section]:
    """Split a file into its sections."""
    _, *parts = _HEADING.split(text)
    for call, fields in zip(parts[::2], parts[1::2], strict=True):
        yield Section(file, call, fields)


def _read() -> Mapping[str, Section]:
    # The folder may hold other files, such as those that another version left in it.
    found = (split(table.name, table.read_text("utf-8")) for table in _TABLES.glob("*.toml"))
    return {section.call: section for table in found for section in table}


# By call. Read at import: a daemon that has changed its user may not be permitted to read files.
SECTIONS = _read()
