"""What the program is told of each call, and what its numbers mean."""

from collections.abc import Iterable

import attrs

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import lookup, name_of, number_of
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS
from syswatch.tracer.decode import MASK_IN_FRAME, OPENED_PATH, RETURN_DESCRIPTORS, Formatter
from syswatch.tracer.decode.numbers import signed_32, unsigned_64
from syswatch.tracer.naming import machine, plain_name_of, shown_name

from . import layout
from .steps import Steps

_ARCHITECTURES = (machine(), {"x86_64": "i386", "aarch64": "arm"}.get(machine(), "other"))
_DESCRIPTORS = frozenset({Kind.FD, Kind.DIRFD})


@attrs.frozen
class Call:
    """What a row of the program's tables is about."""

    architecture: str
    plain_name: str
    name: str


def describe(row: int) -> Call:
    """Return what a row of the tables is about that have a row for each number."""
    return _call(_ARCHITECTURES[row // layout.TABLE], row % layout.TABLE)


def describe_unlisted(number: int) -> Call:
    """Return which call has no place in the tables; above 32 bits stands whether it is 32-bit."""
    kind, low = divmod(number, 1 << 32)
    # As ptrace tells it: a negative number fills the register.
    return _call(_ARCHITECTURES[bool(kind)], unsigned_64(signed_32(low)))


def _call(architecture: str, number: int) -> Call:
    plain = plain_name_of(architecture, number)
    return Call(architecture, plain, shown_name(plain, architecture, number))


OTHERS = Call(machine(), "syscall_other", "syscall_other")


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
        sigreturn=number_of("rt_sigreturn", machine()),
        mask_at=MASK_IN_FRAME.get(machine(), 0),
    )
    steps = Steps(settings)
    formatters = {name: Formatter(options, name) for name in _ARCHITECTURES}
    settings.traced[layout.STRANGE] = names is None
    for row in range(layout.STRANGE):
        call = describe(row)
        settings.traced[row] = names is None or call.plain_name in names
        if _has_name(row, call.architecture):
            _describe_arguments(settings, row, call.plain_name)
            if settings.reads:
                steps.plan(row, formatters[call.architecture].reads(call.plain_name))
    return settings


def _describe_arguments(settings: layout.Settings, row: int, name: str) -> None:
    kinds = _kinds(name)
    # From 1 on: 0 is for those that open nothing.
    settings.opens[row] = OPENED_PATH.get(name, -1) + 1
    settings.paths[row] = _bits(index for index, kind in kinds if kind is Kind.PATH)
    settings.descriptors[row] = _bits(index for index, kind in kinds if kind in _DESCRIPTORS)
    settings.returns[row] = name in RETURN_DESCRIPTORS
    if settings.links and settings.descriptors[row]:
        settings.early[row] |= layout.EARLY_LINKS


def _has_name(row: int, architecture: str) -> bool:
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
