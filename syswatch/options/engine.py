"""The option that chooses where inputs are read, and the inputs that it permits."""

import glob
import os
import re
from collections.abc import Iterable, Sequence

import attrs

from syswatch.settings.engine import LOCAL, EngineError, scheduler_of

from .arguments import Arguments, UsageError
from .declaration import Clash, Group, Option

OPTION = Option(
    "engine",
    "Where to read: local, dask for a cluster of this machine's CPUs, or dask://HOST:PORT for the"
    " workers of a scheduler",
    Group.ADVANCED,
    metavar="ENGINE",
    default=LOCAL,
)
OF_STATS = attrs.evolve(
    OPTION,
    clashes=(Clash("record", "records in the order of the calls, which one process reads"),),
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.ASCII)
STDIN = "-"


def scheduler(arguments: Arguments, inputs: Iterable[str]) -> str | None:
    """Return the address of the Dask scheduler, or None to read without one."""
    label = arguments.label(OPTION.name)
    try:
        found = scheduler_of(arguments.value_or_default(OPTION.name))
    except EngineError as error:
        raise UsageError(f"{label}: {error}") from error
    if found is not None and STDIN in inputs:
        raise UsageError(f"{label}: the workers of a cluster cannot read standard input ('-')")
    return found


def is_url(name: str) -> bool:
    """Return whether an input is a URL; a file of that name comes first."""
    return _URL.match(name) is not None and not os.path.lexists(name)


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Return the files that patterns match, in the order of their names; URLs stay as they are."""
    return tuple(each for name in names for each in _matching(name))


def _matching(name: str) -> Sequence[str]:
    if is_url(name) or not glob.has_magic(name) or os.path.lexists(name):
        return (name,)
    found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207  it may be absolute
    if not found:
        raise UsageError(f"{name}: no file matches this pattern")
    return found
