"""Finding a call by its name: with all there is to say about it, or with its category alone."""

from functools import cache
from itertools import chain

from syswatch.model.catalog import (
    _compat,
    _fs_attributes,
    _fs_change,
    _fs_mount,
    _fs_names,
    _fs_open,
    _io,
    _io_async,
    _io_copy,
    _io_files,
    _io_poll,
    _ipc,
    _ipc_queues,
    _mem,
    _net,
    _net_messages,
    _other,
    _proc,
    _proc_control,
    _proc_identity,
    _proc_limits,
    _rare,
    _sig,
    _time,
)
from syswatch.model.catalog.categories import guess, undocumented
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import Syscall
from syswatch.model.catalog.numbers import table_names

_TABLES = (
    _compat,
    _fs_attributes,
    _fs_change,
    _fs_mount,
    _fs_names,
    _fs_open,
    _io,
    _io_async,
    _io_copy,
    _io_files,
    _io_poll,
    _ipc,
    _ipc_queues,
    _mem,
    _net,
    _net_messages,
    _other,
    _proc,
    _proc_control,
    _proc_identity,
    _proc_limits,
    _rare,
    _sig,
    _time,
)


@cache
def documented() -> tuple[Syscall, ...]:
    """Return every call that has been documented by hand, by name."""
    written = {entry.name: entry for table in _TABLES for entry in table.CALLS}
    entries = chain(written.values(), _compat.derived(written))
    return tuple(sorted(entries, key=lambda entry: entry.name))


def lookup(name: str) -> Syscall | None:
    """Return what is known about a call, or None for a name that is no Linux system call."""
    name = _plain(name)
    entry = _entries().get(name)
    if entry is None and name in table_names():
        return Syscall(name=name, category=guess(name))
    return entry


def model_of(name: str) -> str:
    """Return which call does for 64-bit programs what only 32-bit programs ask a call of a name."""
    return _compat.model_of(name)


def category_of(name: str) -> Category:
    """Return the category of a call; that of its family, or OTHER, for a name nobody knows."""
    name = _plain(name)
    entry = _entries().get(name)
    return entry.category if entry is not None else guess(name)


def _plain(name: str) -> str:
    """Return a name without its mark: `write@i386` is the write of a 32-bit program."""
    return name.partition("@")[0]


@cache
def _entries() -> dict[str, Syscall]:
    named_only = {
        name: Syscall(name=name, category=category) for name, category in undocumented().items()
    }
    return named_only | {entry.name: entry for entry in documented()}
