"""The counts of strace, for comparison."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from unittest import SkipTest

# % time, seconds, usecs/call, calls, errors (may be missing), name.
_ROW = re.compile(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:(\d+)\s+)?(\w+)$")


@cache
def require_tracing() -> None:
    """Skip a test if strace is missing or may not trace."""
    if shutil.which("strace") is None:
        raise SkipTest("strace is not installed")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode:  # noqa: PLW1510
        raise SkipTest("ptrace is not allowed here")


def strace_counts(*command: str) -> dict[str, tuple[int, int]]:
    """Return count and errors by name, as printed by `strace -c -f`."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        subprocess.run(  # noqa: PLW1510  programs may fail
            ["strace", "-c", "-f", "-o", str(table), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        return _read(table.read_text().splitlines())


def _read(lines: Iterable[str]) -> dict[str, tuple[int, int]]:
    counts = {}
    suffix = ""
    for line in lines:
        # Calls of the 32-bit interface have a table of their own.
        if "32 bit mode" in line:
            suffix = "@i386"
        row = _ROW.match(line)
        if row and row[3] != "total":
            counts[row[3] + suffix] = (int(row[1]), int(row[2] or 0))
    return counts
