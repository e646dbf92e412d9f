"""What several benchmarks use: options, verdicts, and facts about processes."""

import argparse
import os
import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path


def parser(purpose: str) -> argparse.ArgumentParser:
    """Return a parser with the option that every benchmark has."""
    options = argparse.ArgumentParser(description=purpose)
    options.add_argument(
        "--tiny",
        action="store_true",
        help="run everything once at its smallest size, to check that it works",
    )
    return options


def leave_out(what: str, why: str) -> None:
    """Print which comparison is left out, and why."""
    print(f"  left out: {what}: {why}", flush=True)


def has(program: str, what: str) -> bool:
    """Return whether a program is installed; print what is left out if not."""
    if shutil.which(program):
        return True
    leave_out(what, f"{program} is not installed")
    return False


def judge(
    value: float, what: str, goal: float, *, least: bool = False, runs: Sequence[float] = ()
) -> None:
    """Print a number and what it is, with its goal and the range of its runs."""
    verdict = "ok" if (value >= goal if least else value <= goal) else "MISSED"
    spread = f", {_short(min(runs))} to {_short(max(runs))}" if runs else ""
    bound = f"at {'least' if least else 'most'} {_short(goal)}"
    print(f"  {verdict:6} {_short(value)} {what}{spread} (goal: {bound})", flush=True)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios of runs that followed each other."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def proportional_mb(pid: int) -> float:
    """Return the memory of a process, with its share of what it has in common with others."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    [size] = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
    return int(size) * 1024 / 1e6


def descendants(pid: int) -> list[int]:
    """Return the descendants of a process, the nearest first; none if it has exited."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = " ".join((task / "children").read_text("ascii") for task in tasks).split()
    except OSError:
        return []
    near = [int(child) for child in children]
    return [*near, *(far for child in near for far in descendants(child))]
