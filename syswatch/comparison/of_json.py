"""The run of a summary in JSON, as `--format json` writes it."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Struct, field

from syswatch.base.text import escape_text
from syswatch.model.histogram import BUCKET_COUNT, Histogram, bucket_of
from syswatch.model.ledger import ENTRIES, Ledger
from syswatch.model.objects import ObjectKind

from .facts import CallFacts, Counts, Facts, ObjectFacts, PathFacts, ProcessFacts
from .of_delta import ending_of
from .run import Run
from .tabulate import run_of_facts

# Anyone may have written the file.
_Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class SummaryError(ValueError):
    """A text is not a summary; the message is a clause."""


class _Record(Struct, frozen=True, rename="pascal"):
    """A part of a summary, with the keys that are needed."""


class _Bar(Struct, frozen=True):
    le: _Count
    count: _Count


class _Call(_Record, frozen=True, kw_only=True):
    name: str
    count: _Count
    errors: _Count = 0
    min_time: _Count = 0
    max_time: _Count = 0
    working: _Count = 0
    waiting: _Count = 0
    error_breakdown: dict[str, _Count] = field(default_factory=dict)
    histogram: list[_Bar] = field(default_factory=list)


class _Counts(_Record, frozen=True):
    count: _Count = 0
    errors: _Count = 0
    bytes_in: _Count = 0
    bytes_out: _Count = 0


class _Object(_Record, frozen=True, kw_only=True):
    kind: str
    name: str
    host: str = ""
    working: _Count = 0
    waiting: _Count = 0
    calls: dict[str, _Counts] | None = None


class _Path(Struct, frozen=True):
    path: str
    count: _Count
    failed: _Count = 0


class _Process(_Record, frozen=True):
    comm: str = ""
    ending: str = ""
    lives: _Count = 1


class _Status(_Record, frozen=True):
    backend: str = ""
    only: str = ""
    trouble: str = ""
    exit_code: int | None = None
    exit_signal: int | None = None


class _Fidelity(_Record, frozen=True):
    inexact: dict[str, str] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    ledger: dict[str, int] = field(default_factory=dict)


class _Time(_Record, frozen=True):
    estimated: bool = False


class _Threads(_Record, frozen=True):
    total: _Count = 0


class _Summary(_Record, frozen=True, kw_only=True):
    status: _Status
    stats: list[_Call]
    files: list[_Path] = field(default_factory=list)
    processes: list[_Process] = field(default_factory=list)
    fidelity: _Fidelity = field(default_factory=_Fidelity)
    time: _Time = field(default_factory=_Time)
    objects: list[_Object] | None = None
    threads: _Threads = field(default_factory=_Threads)
    elapsed_time: _Count = 0


_DECODER = msgspec.json.Decoder(_Summary)
_KINDS = {kind.value: kind for kind in ObjectKind}


def is_summary(beginning: bytes) -> bool:
    """Return whether a file that begins like this can be a summary in JSON."""
    return beginning.lstrip().startswith(b"{")


def run_of_json(document: bytes, name: str) -> Run:
    """Return the run of a summary; raise SummaryError if it is none."""
    try:
        summary = _DECODER.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SummaryError(f"not a summary of --format json: {error}") from None
    return run_of_facts(_facts(summary), name)


def _facts(summary: _Summary) -> Facts:
    status, fidelity = summary.status, summary.fidelity
    return Facts(
        calls=[_call(each) for each in summary.stats],
        objects=_objects(summary),
        paths=[PathFacts(_text(each.path), each.count, each.failed) for each in summary.files],
        processes=[
            ProcessFacts(_text(each.comm), _text(each.ending), each.lives)
            for each in summary.processes
        ],
        threads=summary.threads.total,
        ending=ending_of(status.exit_code, status.exit_signal),
        elapsed_ns=summary.elapsed_time,
        only=_text(status.only),
        notes=tuple(map(_text, (*fidelity.inexact.values(), *fidelity.noted.values()))),
        is_estimated=summary.time.estimated,
        backend=_text(status.backend),
        ledger=_ledger(summary.fidelity.ledger),
        is_cut_short=bool(status.trouble),
    )


def _ledger(entries: Mapping[str, int]) -> Ledger:
    """Return the ledger; entries that this version does not know are left out."""
    names = {name.replace("_", ""): name for name in ENTRIES}
    known = {names.get(key.lower()): max(number, 0) for key, number in entries.items()}
    return Ledger(**{name: number for name, number in known.items() if name})


def _objects(summary: _Summary) -> list[ObjectFacts] | None:
    objects = summary.objects
    if objects is None or (summary.stats and not objects):
        return None
    # Older summaries have no counts by call.
    if any(each.calls is None for each in objects):
        return None
    return [_object(each) for each in objects]


def _object(each: _Object) -> ObjectFacts:
    counts: Any = each.calls or {}
    return ObjectFacts(
        _KINDS.get(each.kind, ObjectKind.DESCRIPTOR),
        _text(each.name),
        _text(each.host),
        each.working,
        each.waiting,
        {
            _text(call): Counts(row.count, row.errors, row.bytes_in, row.bytes_out)
            for call, row in counts.items()
        },
    )


def _call(each: _Call) -> CallFacts:
    return CallFacts(
        _text(each.name),
        each.count,
        each.errors,
        {_text(errno): count for errno, count in each.error_breakdown.items()},
        each.working,
        each.waiting,
        each.min_time,
        each.max_time,
        _histogram(each.histogram),
    )


def _histogram(bars: list[_Bar]) -> Histogram:
    counts = {min(bucket_of(bar.le), BUCKET_COUNT - 1): bar.count for bar in bars}
    return Histogram(counts)


def _text(text: str) -> str:
    """Escape a text of a file, which anyone may have written."""
    return text if text.isprintable() else escape_text(text)
