"""The entries of the catalog with their texts, which views show."""

import tomllib
from functools import cache

from syswatch.model.call_numbers import table_names
from syswatch.model.catalog import compat
from syswatch.model.catalog.documentation import SECTIONS, Section
from syswatch.model.catalog.entry import Syscall, entry_of
from syswatch.model.catalog.lookup import category_of, model_of, plain_name
from syswatch.model.catalog.undocumented import undocumented


@cache
def documented() -> tuple[Syscall, ...]:
    """Return every documented call, by name; this parses all documentation."""
    return tuple(map(_documented, sorted((*SECTIONS, *compat.names()))))


def lookup(name: str) -> Syscall | None:
    """Return what is known about a call, or None if Linux has no system call of that name."""
    name = plain_name(name)
    if model_of(name) in SECTIONS:
        return _documented(name)
    if name in undocumented():
        return undocumented()[name]
    return Syscall(name, category_of(name)) if name in table_names() else None


@cache
def _documented(name: str) -> Syscall:
    model = model_of(name)
    if model != name:
        return compat.derived(name, _documented(model))
    return parsed(SECTIONS[name])


def parsed(section: Section) -> Syscall:
    """Return the entry of a section; raise ValueError if the section is wrong."""
    try:
        return entry_of(section.call, tomllib.loads(section.text))
    except ValueError as error:
        raise ValueError(f"{section.file}: [{section.call}]: {error}") from error
