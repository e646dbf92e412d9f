"""What another server says, on one screen."""

from collections.abc import Sequence

from .colors import Paint
from .fidelity import exactness
from .numbers import count, duration, per_second, share
from .records import Status, SyscallStat
from .source import watched_by
from .table import GAP, Cell, Column, align

_COLUMNS = (
    Column("CALL", is_number=False),
    Column("CATEGORY", is_number=False, rank=5),
    Column("CALLS"),
    Column("ERRORS"),
    Column("TOTAL", rank=2),
    Column("P95", rank=4),
    Column("P99", rank=3),
    Column("MAX", rank=1),
)
_LEAST_NAME = 8


def screen(
    status: Status, stats: Sequence[SyscallStat], paint: Paint, *, width: int | None, height: int
) -> list[str]:
    """Return the lines of a screen; none is too wide, for it would wrap and move the others out."""
    lines = [paint(_headline(status, width), "title"), _cut(_figures(status), width)]
    if status.trouble:
        lines.append(paint(_cut(status.trouble, width), "failing"))
    if not status.exact:
        words = exactness(exact=status.exact, trouble=status.trouble)
        lines.append(paint(_cut(f"{words}: see /api/fidelity", width), "slow"))
    lines.append("")
    shown = stats[: max(height - len(lines) - 1, 0)]
    table = align(_COLUMNS, [_row(stat) for stat in shown], width)
    return lines + [GAP.join(paint(cell.text, cell.ink) for cell in row).rstrip() for row in table]


def _headline(status: Status, width: int | None) -> str:
    process = status.proc
    name = process.cmdline or process.comm or "a trace"
    words = (status.state, watched_by(status.backend, status.only), status.elapsed)
    pid = f"pid {process.pid}" if process.pid else ""
    rest = "  ".join(filter(None, (pid, " · ".join(filter(None, words)))))
    # A long command line leaves room for the state.
    free = None if width is None else max(width - len(rest) - 2, _LEAST_NAME)
    return _cut(f"{_cut(name, free)}  {rest}", width)


def _cut(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def _figures(status: Status) -> str:
    failed = status.errors / status.total if status.total else 0.0
    return (
        f"{count(status.total)} calls · {per_second(status.rate)}/s · {share(failed)} failed · "
        f"{status.unique} different"
    )


def _row(stat: SyscallStat) -> list[Cell]:
    times = (stat.total_time, stat.p95, stat.p99, stat.max_time)
    return [
        Cell(stat.name),
        Cell(stat.category, "dim"),
        Cell(f"{stat.count:,}"),
        Cell(f"{stat.errors:,}" if stat.errors else "-", "" if stat.errors else "dim"),
        *(Cell(duration(time) if stat.max_time else "-") for time in times),
    ]
