"""The documentation of system calls, from the files in `tables`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.model.catalog.entry import Argument, Syscall, arguments_in, entry_of

_TABLES = Path(__file__).with_name("tables")
_HEADING = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
# What the arguments are made of; both values are strings without escapes.
_OF_ARGUMENTS = re.compile(
    r'^(signature|kinds) = "(?:""(.*?)"")?([^"]*)"$', re.MULTILINE | re.DOTALL
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
        found = {name: long or short for name, long, short in _OF_ARGUMENTS.findall(self.text)}
        return arguments_in(found["signature"].strip(), found.get("kinds", "").split())


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
