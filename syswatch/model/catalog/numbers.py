"""Numbers and names of system calls, for each architecture that can be traced."""

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

# Our names are those of `uname -m`; the table package has names of its own.
_TABLE_OF = {"x86_64": "x86_64", "aarch64": "arm64", "i386": "i386"}


def names(architecture: str) -> Mapping[int, str]:
    """Return every call of an architecture by number; KeyError for an unknown architecture."""
    return _names(architecture)


def name_of(number: int, architecture: str) -> str | None:
    """Return the name of a call number, or None where the kernel has no such call."""
    return _names(architecture).get(number)


def number_of(name: str, architecture: str) -> int | None:
    """Return the number of a call, or None where the architecture does not have it."""
    return _numbers(architecture).get(name)


@cache
def table_names() -> frozenset[str]:
    """Return the name of every call that any of the traceable architectures has."""
    return frozenset[str]().union(*(_numbers(architecture) for architecture in _TABLE_OF))


@cache
def _names(architecture: str) -> Mapping[int, str]:
    return MappingProxyType({number: name for name, number in _numbers(architecture).items()})


@cache
def _numbers(architecture: str) -> Mapping[str, int]:
    # The table is loaded by name: the package's own front door would read the machine it runs on,
    # and a log of one architecture may well be read on another.
    table = _TABLE_OF[architecture]
    module = importlib.import_module(f"system_calls.tables.{table}")
    numbers: dict[str, int] = getattr(module, f"syscalls_{table}")
    return MappingProxyType(numbers)
