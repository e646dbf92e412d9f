"""Where the time of another server's target went, its status and its top calls, on one screen."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from syswatch.base.classes import frozen
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf

from .budget.bar import MOST_CELLS, bar, legend
from .budget.budget import Budget, PartKey
from .budget.lines import cut_end, verdict_lines
from .budget.names import cut_name
from .budget.states import TimeState
from .column import Column, Kind, Value
from .columns import COLUMNS, TOP
from .formatting import count, long_duration, per_second, share
from .records import Status, SyscallStat
from .status import exactness, traced_by
from .text_table import GAP, Cell, Paint, TextColumn, align
from .time_records import CurrentThread, Now, Time

_COLUMNS = [
    TextColumn(COLUMNS[key].title.upper(), COLUMNS[key].is_number, rank)
    for key, rank in TOP.items()
]
_LEAST_NAME = 8
_THREAD_COLUMNS = [
    TextColumn("THREAD", is_number=False),
    TextColumn("STATE", is_number=False, rank=3),
    TextColumn("FOR", rank=2),
    TextColumn("CALL", is_number=False, rank=1),
    TextColumn("OBJECT", is_number=False),
]
_MOST_THREADS = 5
# How wide the other columns of the threads usually are, and the least of an object to show.
_OTHER_CELLS, _LEAST_OBJECT = 52, 12
_STATES = {state.value: state for state in TimeState}
_KINDS = {kind.value: kind for kind in ObjectKind}
_SHARES = {share_of.value: share_of for share_of in ShareOf}
_TOO_OLD = "the server is too old to tell where the time goes"


@frozen
class Answers:
    """What a server answered; `time` and `now` are None if it is too old to know them."""

    status: Status
    stats: Sequence[SyscallStat]
    time: Time | None = None
    now: Now | None = None


def screen(answers: Answers, paint: Paint, *, width: int | None, height: int) -> list[str]:
    """Return the lines of a screen; none is too wide: a wrapped line would push others out."""
    status = answers.status
    lines = [
        *_where_time_went(answers.time, paint, width),
        paint(_headline(status, width), "title"),
        _cut(_figures(status), width),
    ]
    if status.trouble:
        lines.append(paint(_cut(status.trouble, width), "failing"))
    if not status.exact:
        text = exactness(exact=status.exact, trouble=status.trouble)
        lines.append(paint(_cut(f"{text}: see /api/fidelity", width), "slow"))
    lines += _threads(answers, paint, width)
    lines.append("")
    shown = _costliest_first(answers.stats)[: max(height - len(lines) - 1, 0)]
    return [*lines, *_table(_COLUMNS, [_row(stat) for stat in shown], paint, width)][:height]


def _where_time_went(time: Time | None, paint: Paint, width: int | None) -> Iterator[str]:
    """Yield the verdict, and the bar with its legend."""
    if time is None:
        yield paint(_cut(_TOO_OLD, width), "dim")
        return
    for line in verdict_lines(time.verdict, width):
        yield paint(line, "title")
    share_of = _SHARES.get(time.share_of, ShareOf.BUSY)
    budget = _budget(time)
    if budget.whole(share_of):
        yield bar(budget, share_of, paint, min(width or MOST_CELLS, MOST_CELLS))
        yield _cut(legend(budget, share_of), width)


def _budget(time: Time) -> Budget:
    """Return the time budget, without states that this version does not know."""
    parts: dict[PartKey, int] = {}
    for part in time.parts:
        if part.state in _STATES:
            key = PartKey(_STATES[part.state], _KINDS.get(part.kind, ObjectKind.NONE))
            parts[key] = parts.get(key, 0) + part.time
    return Budget(
        parts,
        time.threads,
        time.call_time,
        time.estimated,
        time.note,
        calls_left_out=bool(time.states),
    )


def _threads(answers: Answers, paint: Paint, width: int | None) -> list[str]:
    """Return what the first threads are doing: those that are blocked longest."""
    if answers.now is None or not answers.now.threads:
        return []
    left_out = bool(answers.time and answers.time.states)
    cells = width and max(width - _OTHER_CELLS, _LEAST_OBJECT)
    rows = [
        _thread(thread, cells, calls_left_out=left_out)
        for thread in answers.now.threads[:_MOST_THREADS]
    ]
    return ["", *_table(_THREAD_COLUMNS, rows, paint, width)]


def _thread(thread: CurrentThread, object_cells: int | None, *, calls_left_out: bool) -> list[Cell]:
    state = _STATES.get(thread.state)
    texts = (
        f"{thread.comm}[{thread.tid}]",
        state.texts(calls_left_out=calls_left_out).label if state else thread.state,
        _spent(thread),
        thread.call or "-",
        cut_name(thread.object.name or "-", object_cells),
    )
    style = "slow" if state is TimeState.BLOCKED else ""
    return [Cell(text, style if place == 1 else "") for place, text in enumerate(texts)]


def _spent(thread: CurrentThread) -> str:
    """Return how long a call has taken; of one that began before the trace, how long at least."""
    if thread.elapsed:
        return long_duration(thread.elapsed)
    return f">{long_duration(thread.least_elapsed)}" if thread.least_elapsed else "-"


def _costliest_first(stats: Sequence[SyscallStat]) -> Sequence[SyscallStat]:
    """Sort the calls by the time that was not idle; an older server tells none of it."""
    return sorted(stats, key=lambda stat: -(stat.working + stat.ready + stat.blocked))


def _table(
    columns: Sequence[TextColumn], rows: Sequence[Sequence[Cell]], paint: Paint, width: int | None
) -> list[str]:
    return [
        GAP.join(paint(cell.text, cell.style) for cell in row).rstrip()
        for row in align(columns, rows, width)
    ]


def _headline(status: Status, width: int | None) -> str:
    process = status.proc
    name = process.cmdline or process.comm or "a trace"
    parts = (status.state, traced_by(status.backend, status.only), status.elapsed)
    pid = f"PID {process.pid}" if process.pid else ""
    rest = "  ".join(filter(None, (pid, " · ".join(filter(None, parts)))))
    # A long command line is cut, so that the state fits.
    free = None if width is None else max(width - len(rest) - 2, _LEAST_NAME)
    return _cut(f"{_cut(name, free)}  {rest}", width)


def _cut(text: str, width: int | None) -> str:
    return text if width is None else cut_end(text, width)


def _figures(status: Status) -> str:
    failed = status.errors / status.total if status.total else 0.0
    calls = "1 call" if status.total == 1 else f"{count(status.total)} calls"
    return (
        f"{calls} · {per_second(status.rate)}/s · {share(failed)} failed · {status.unique} distinct"
    )


def _row(stat: SyscallStat) -> list[Cell]:
    values = msgspec.to_builtins(stat)
    return [_cell(COLUMNS[key], values, is_timed=bool(stat.max_time)) for key in TOP]


def _cell(column: Column, values: Mapping[str, Value], *, is_timed: bool) -> Cell:
    value = values[column.field]
    if not value and not (is_timed and column.kind is Kind.TIME and column.key != "waiting"):
        return Cell("-", "dim")
    return Cell(column.text(value, exact=True), "dim" if column.key == "category" else "")
