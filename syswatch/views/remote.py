"""What another server says, on one screen."""

from collections.abc import Sequence

from .fidelity import exactness
from .ink import Paint
from .numbers import count, duration, per_second, share
from .records import Status, SyscallStat
from .source import watched_by
from .table import GAP, Cell, Column, align

_COLUMNS = (
    Column("CALL", is_number=False),
    Column("CATEGORY", is_number=False),
    Column("CALLS"),
    Column("ERRORS"),
    Column("TOTAL"),
    Column("P95"),
    Column("P99"),
    Column("MAX"),
)


def screen(status: Status, stats: Sequence[SyscallStat], rows: int, paint: Paint) -> list[str]:
    """Return the lines of a screen with room for so many."""
    lines = [paint(_headline(status), "title"), _figures(status)]
    if status.trouble:
        lines.append(paint(status.trouble, "failing"))
    if not status.exact:
        words = exactness(exact=status.exact, trouble=status.trouble)
        lines.append(paint(f"{words}: see /api/fidelity", "slow"))
    lines.append("")
    table = align(_COLUMNS, [_row(stat) for stat in stats[: max(rows - len(lines) - 1, 0)]])
    return lines + [GAP.join(paint(cell.text, cell.ink) for cell in row).rstrip() for row in table]


def _headline(status: Status) -> str:
    process = status.proc
    name = process.cmdline or process.comm or "a trace"
    words = (status.state, watched_by(status.backend, status.only), status.elapsed)
    parts = (name, f"pid {process.pid}" if process.pid else "", " · ".join(filter(None, words)))
    return "  ".join(filter(None, parts))


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
