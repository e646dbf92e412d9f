"""The documentation of system calls, from the files in `tables`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.model.catalog.entry import Argument, Syscall, arguments_in, entry_of
from syswatch.model.catalog.kinds import ArgumentKind

_TABLES = Path(__file__).with_name("tables")
_HEADING = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
# What the arguments are made of; both values are strings without escapes.
_SIGNATURE, _KINDS = (
    re.compile(rf'^{name} = "(?:""(.*?)"")?([^"]*)"$', re.MULTILINE | re.DOTALL)
    for name in ("signature", "kinds")
)
_OPENS = "\nopens = true\n"


@frozen
class Section:
    """The part of a file that documents one call; it is parsed when the call is looked up."""

    file: str
    call: str
    text: str

    def entry(self) -> Syscall:
        """Return the entry; raise ValueError if the section is wrong."""
        try:
            return entry_of(self.call, tomllib.loads(self.text))
        except ValueError as error:
            raise ValueError(f"{self.file}: [{self.call}]: {error}") from error

    @property
    def opens(self) -> bool:
        """Whether the call opens a file by a path; known without parsing the rest."""
        return _OPENS in self.text

    def arguments(self) -> tuple[Argument, ...]:
        """Return the arguments of the entry; parsing the rest takes ten times as long."""
        return arguments_in(self._value(_SIGNATURE).strip(), self._value(_KINDS).split())

    def kinds(self) -> tuple[ArgumentKind, ...]:
        """Return the kinds of the arguments, which are found in a third of the time."""
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
