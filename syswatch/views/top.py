"""The status and the top calls of another server, on one screen."""

from collections.abc import Mapping, Sequence

import msgspec

from .column import Column, Kind, Value
from .columns import COLUMNS, TOP
from .formatting import count, per_second, share
from .records import Status, SyscallStat
from .status import exactness, traced_by
from .text_table import GAP, Cell, Paint, TextColumn, align

_COLUMNS = [
    TextColumn(COLUMNS[key].title.upper(), COLUMNS[key].is_number, rank)
    for key, rank in TOP.items()
]
_LEAST_NAME = 8


def screen(
    status: Status, stats: Sequence[SyscallStat], paint: Paint, *, width: int | None, height: int
) -> list[str]:
    """Return the lines of a screen; none is too wide: a wrapped line would push others out."""
    lines = [paint(_headline(status, width), "title"), _cut(_figures(status), width)]
    if status.trouble:
        lines.append(paint(_cut(status.trouble, width), "failing"))
    if not status.exact:
        text = exactness(exact=status.exact, trouble=status.trouble)
        lines.append(paint(_cut(f"{text}: see /api/fidelity", width), "slow"))
    lines.append("")
    shown = stats[: max(height - len(lines) - 1, 0)]
    table = align(_COLUMNS, [_row(stat) for stat in shown], width)
    return lines + [
        GAP.join(paint(cell.text, cell.style) for cell in row).rstrip() for row in table
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
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def _figures(status: Status) -> str:
    failed = status.errors / status.total if status.total else 0.0
    return (
        f"{count(status.total)} calls · {per_second(status.rate)}/s · {share(failed)} failed · "
        f"{status.unique} distinct"
    )


def _row(stat: SyscallStat) -> list[Cell]:
    values = msgspec.to_builtins(stat)
    return [_cell(COLUMNS[key], values, is_timed=bool(stat.max_time)) for key in TOP]


def _cell(column: Column, values: Mapping[str, Value], *, is_timed: bool) -> Cell:
    value = values[column.field]
    if not (is_timed if column.kind is Kind.TIME else value):
        return Cell("-", "dim")
    return Cell(column.text(value, exact=True), "dim" if column.key == "category" else "")
