"""What the program is told of each call, and what its numbers mean."""

from collections.abc import Mapping

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import lookup, name_of
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS
from syswatch.tracer.naming import machine, plain_name_of, shown_name

from . import layout

_OTHER_KIND = {"x86_64": "i386", "aarch64": "arm"}
_OPENS: Mapping[str, int] = {"open": 1, "creat": 1, "openat": 2, "openat2": 2}
_TEXTS = frozenset({Kind.PATH, Kind.STRING})
# What is behind these is read; an opaque address is not followed.
_FOLLOWED = ("_IN", "_OUT", "_INOUT")


@attrs.frozen
class Call:
    """What a row of the program's tables is about."""

    architecture: str
    plain_name: str
    name: str


def describe(row: int) -> Call:
    """Return what a row is about."""
    if row == layout.STRANGE:
        return Call(machine(), "syscall_other", "syscall_other")
    own = row < layout.TABLE
    architecture = machine() if own else _OTHER_KIND.get(machine(), "other")
    number = row % layout.TABLE
    plain = plain_name_of(architecture, number)
    return Call(architecture, plain, shown_name(plain, architecture, number))


def settings_of(options: TraceOptions, names: frozenset[str] | None) -> layout.Settings:
    """Translate the options of a trace for the program."""
    settings = layout.Settings(
        samples=(options.log_rate << layout.WINDOW_BITS) // SECOND_NS,
        follow=options.follow_children,
        status=layout.RESULTS[options.status],
        reads=options.read_arguments,
    )
    for row in range(layout.CALLS):
        call = describe(row)
        settings.traced[row] = names is None or call.plain_name in names
        settings.opens[row] = _OPENS.get(call.plain_name, 0)
        if options.read_arguments and _has_name(row, call.architecture):
            for place, plan in enumerate(_chunks(call.plain_name)[: layout.CHUNKS]):
                settings.chunks[row][place] = plan
    return settings


def _has_name(row: int, architecture: str) -> bool:
    if row == layout.STRANGE:
        return False
    try:
        return name_of(row % layout.TABLE, architecture) is not None
    except KeyError:
        return False


def _chunks(name: str) -> list[int]:
    """Return which arguments point to memory that is to be shown; texts come first."""
    entry = lookup(name)
    if entry is None:
        return []
    texts, others = [], []
    for index, argument in enumerate(entry.arguments[: layout.ARGUMENTS]):
        if argument.kind in _TEXTS:
            texts.append(index | layout.CHUNK_WANTED | layout.CHUNK_TEXT)
        elif argument.kind.name.endswith(_FOLLOWED):
            others.append(index | layout.CHUNK_WANTED)
    return texts + others
