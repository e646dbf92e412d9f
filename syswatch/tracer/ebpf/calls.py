"""What the program is told of each call, and what its numbers mean."""

from collections.abc import Iterable, Mapping

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import lookup, name_of
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS
from syswatch.tracer.decode import MASK_IN_FRAME, OPENED_PATH, RETURN_DESCRIPTORS
from syswatch.tracer.naming import machine, plain_name_of, shown_name

from . import layout

_OTHER_KIND = {"x86_64": "i386", "aarch64": "arm"}
_TEXTS = frozenset({Kind.PATH, Kind.STRING})
_DESCRIPTORS = frozenset({Kind.FD, Kind.DIRFD})
# What is behind these is read; an opaque address is not followed.
_FOLLOWED = ("_IN", "_OUT", "_INOUT")
# What is behind the pointers that are behind these: where the first is, where the next, how many.
_STRINGS = (0, 8, layout.PIECES | layout.CHUNK_TEXT)
_VECTORS = (0, 16, layout.PIECES)
# The address and the vectors of a message.
_MESSAGES = (0, 16, 2)
_POINTERS: Mapping[Kind, tuple[int, int, int]] = {
    Kind.ARGV: _STRINGS,
    Kind.IOVEC_IN: _VECTORS,
    Kind.IOVEC_OUT: _VECTORS,
    Kind.MSGHDR_IN: _MESSAGES,
    Kind.MSGHDR_OUT: _MESSAGES,
    Kind.MMSGHDRS_IN: _MESSAGES,
    Kind.MMSGHDRS_OUT: _MESSAGES,
}
# When they return, the memory in which their arguments were is gone.
_EARLY = frozenset({"execve", "execveat"})


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


def settings_of(
    options: TraceOptions, names: frozenset[str] | None, scope: int = layout.NAMED_ONLY
) -> layout.Settings:
    """Translate the options of a trace for the program."""
    full = options.mode == "full"
    reads = options.read_arguments
    samples = full * (options.log_rate << layout.WINDOW_BITS) // SECOND_NS
    settings = layout.Settings(
        samples=samples,
        burst=max(samples, full * min(options.log_rate, LOG_ENTRIES)),
        scope=scope,
        follow=options.follow_children,
        status=layout.RESULTS[options.status],
        reads=full and reads,
        timed=full,
        split=options.per_process,
        selects=bool(options.paths),
        links=full and reads and options.descriptor_paths,
        sigreturn=layout.STRANGE,
        mask_at=MASK_IN_FRAME.get(machine(), 0),
    )
    for row in range(layout.CALLS):
        call = describe(row)
        settings.traced[row] = names is None or call.plain_name in names
        if call.name == "rt_sigreturn":
            settings.sigreturn = row
        if _has_name(row, call.architecture):
            _describe_arguments(settings, row, call.plain_name)
    return settings


def _describe_arguments(settings: layout.Settings, row: int, name: str) -> None:
    kinds = _kinds(name)
    # From 1 on: 0 is for those that open nothing.
    settings.opens[row] = OPENED_PATH.get(name, -1) + 1
    settings.early[row] = name in _EARLY
    settings.paths[row] = _bits(index for index, kind in kinds if kind is Kind.PATH)
    settings.descriptors[row] = _bits(index for index, kind in kinds if kind in _DESCRIPTORS)
    settings.returns[row] = name in RETURN_DESCRIPTORS
    for place, (plan, kind) in enumerate(_chunks(kinds)[: layout.CHUNKS]):
        settings.chunks[row][place] = plan
        if kind in _POINTERS:
            settings.pointers[row] = layout.Pointers(place, *_POINTERS[kind])


def _has_name(row: int, architecture: str) -> bool:
    if row == layout.STRANGE:
        return False
    try:
        return name_of(row % layout.TABLE, architecture) is not None
    except KeyError:
        return False


def _kinds(name: str) -> list[tuple[int, Kind]]:
    entry = lookup(name)
    arguments = entry.arguments[: layout.ARGUMENTS] if entry else ()
    return [(index, argument.kind) for index, argument in enumerate(arguments)]


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _chunks(kinds: Iterable[tuple[int, Kind]]) -> list[tuple[int, Kind]]:
    """Return which arguments point to memory that is to be shown; texts come first."""
    texts, others = [], []
    for index, kind in kinds:
        if kind in _TEXTS:
            texts.append((index | layout.CHUNK_WANTED | layout.CHUNK_TEXT, kind))
        elif kind in _POINTERS or kind.name.endswith(_FOLLOWED):
            others.append((index | layout.CHUNK_WANTED, kind))
    return texts + others
