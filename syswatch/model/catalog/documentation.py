"""The documentation of system calls, from the files in `tables`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files

import attrs

from syswatch.model.catalog.entry import Syscall, entry_of

_HEADING = re.compile(r"^\[(\w+)\]$", re.MULTILINE)


@attrs.frozen
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


def split(file: str, text: str) -> Iterator[Section]:
    """Split a file into its sections."""
    _, *parts = _HEADING.split(text)
    for call, fields in zip(parts[::2], parts[1::2], strict=True):
        yield Section(file, call, fields)


def _read() -> Mapping[str, Section]:
    # The folder may hold other files, such as those that another version left in it.
    folder = files("syswatch.model.catalog").joinpath("tables").iterdir()
    tables = [file for file in folder if file.name.endswith(".toml")]
    found = (split(table.name, table.read_text("utf-8")) for table in tables)
    return {section.call: section for table in found for section in table}


# By call. Read at import: a daemon that has changed its user may not be permitted to read files.
SECTIONS = _read()
