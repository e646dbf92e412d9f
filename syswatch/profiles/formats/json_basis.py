"""What a profile was made of, as records of our own format."""

from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Final

import msgspec

from syswatch.base.text import escape_text
from syswatch.codec.plausible import implausible
from syswatch.model.delta import Delta
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.occurrences import Occurrences, Origin, Process, Processes, Sample

_HEXADECIMAL: Final = 16
# Of each call: a profile should stay small, and one of them is shown.
_MOST_SAMPLES: Final = 16
_Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]


class Record(msgspec.Struct, rename="pascal"):
    """An object whose names begin with capital letters."""


class Row(Record):
    """Evidence: calls that a rule can tell from others."""

    call: str
    values: list[str]
    architecture: str
    program: str
    refused: bool
    count: int
    first_ns: int | None


class _Process(Record):
    pid: _Number
    calls: _Number
    objects: list[str]
    more_objects: _Number


class OfProgram(Record):
    """The processes of a program that made a call."""

    call: str
    program: str
    first: list[_Process]
    more: _Number


class Call(Record):
    """One call with its arguments as text."""

    call: str
    thread: _Number
    program: str
    arguments: str


def rows_of(evidence: Evidence, native: str) -> list[Row]:
    """Return the rows; `native` is the architecture of calls that name none."""
    return [
        Row(
            key.call,
            [f"{value:#x}" for value in key.values],
            key.architecture or native,
            key.program,
            key.refused,
            evidence[key].count,
            evidence[key].first_ns,
        )
        for key in sorted(evidence)
    ]


def evidence(rows: Iterable[Row]) -> Evidence:
    """Return the evidence of rows; raise ValueError if no tracer can have sent it."""
    found: dict[EvidenceKey, EvidenceTally] = {}
    for key, tally in map(_read_row, rows):
        # Escaping may make two rows the same.
        found[key] = found[key] + tally if key in found else tally
    if implausible(Delta(evidence=found)):
        raise ValueError("impossible numbers")
    return found


def _read_row(row: Row) -> tuple[EvidenceKey, EvidenceTally]:
    if row.architecture and row.architecture not in ARCHITECTURES:
        raise ValueError(f"unknown architecture '{escape_text(row.architecture)}'")
    key = EvidenceKey(
        escape_text(row.call),
        tuple(int(value, _HEXADECIMAL) for value in row.values),
        escape_text(row.architecture),
        escape_text(row.program),
        row.refused,
    )
    return key, EvidenceTally(row.count, row.first_ns)


def processes_of(occurrences: Occurrences) -> list[OfProgram]:
    """Return the records of the processes that made calls."""
    return [
        OfProgram(
            origin.call,
            origin.program,
            [_Process(each.pid, each.calls, [*each.objects], each.more) for each in some.first],
            some.more,
        )
        for origin, some in sorted(occurrences.processes.items())
    ]


def samples_of(occurrences: Occurrences) -> list[Call]:
    """Return the records of some calls with different arguments."""
    return [
        Call(call, each.thread, each.program, each.arguments)
        for call, some in sorted(occurrences.samples.items())
        for each in _different(some)
    ]


def _different(samples: Iterable[Sample]) -> Iterable[Sample]:
    found = {(each.program, each.arguments): each for each in samples}
    return islice(found.values(), _MOST_SAMPLES)


def occurrences(processes: Iterable[OfProgram], samples: Iterable[Call]) -> Occurrences:
    """Return where calls were made."""
    of: dict[Origin, Processes] = {}
    for each in processes:
        origin = Origin(escape_text(each.call), escape_text(each.program))
        first = tuple(_read_process(one, origin.program) for one in each.first)
        of[origin] = of.get(origin, Processes()) + Processes(first, each.more)
    shown: dict[str, list[Sample]] = {}
    for sample in samples:
        read = Sample(sample.thread, escape_text(sample.program), escape_text(sample.arguments))
        shown.setdefault(escape_text(sample.call), []).append(read)
    return Occurrences(of, shown)


def _read_process(found: _Process, program: str) -> Process:
    objects = tuple(map(escape_text, found.objects))
    return Process(found.calls, found.pid, program, objects, found.more_objects)
