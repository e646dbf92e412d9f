"""The documented system calls: each module of this package has a table `CALLS`."""

import pkgutil
from functools import cache
from importlib import import_module

from syswatch.model.catalog.entry import Syscall


@cache
def written_entries() -> dict[str, Syscall]:
    """Return the entries of all tables, by name."""
    tables = (
        import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
    )
    return {entry.name: entry for table in tables for entry in table.CALLS}
