#!/usr/bin/env python3
"""
Run every benchmark once, as small as it gets; fail if one fails or compares nothing.

Usage: run_benches.py FOLDER

FOLDER holds `bench`, and is where they run.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

_PATIENCE_S = 180
# What each of them prints when it has compared or measured something.
_RESULTS = {
    "ebpf": r"syswatch / .*\d",
    "pages": r"\d % of a core",
    "ptrace": r"syswatch / .*\d",
    "service": r"\d s from start to first answer",
    "slowhttp": r"\d ms to answer",
    "stats": r"\d x wc +\d.* x awk",
    "stress": r"\d stressors, \d+ of them with differences",
    "tui": r"the screen: \d.* %",
}
_LEFT_OUT = "left out: "
# What every benchmark has, and the programs beside them that they start have not.
_USED = "common.parser("


def main(folder: Path) -> int:
    """Run them; return 1 if one does not work."""
    programs = (path for path in (folder / "bench").glob("*.py") if _USED in path.read_text())
    broken = [f"{path.name} is not run" for path in programs if path.stem not in _RESULTS]
    for name, result in _RESULTS.items():
        began = time.monotonic()
        status, said = _run(folder, name)
        print(f"--- bench/{name}.py, {time.monotonic() - began:.0f} s\n{said}", flush=True)
        if status:
            broken.append(f"{name} failed with status {status}")
        elif not re.search(result, said) and _LEFT_OUT not in said:
            broken.append(f"{name} has compared nothing")
    print("\n".join(broken) or "all benchmarks work")
    return int(bool(broken))


def _run(folder: Path, name: str) -> tuple[int, str]:
    """Return the status of a benchmark, and all that it said."""
    command = [sys.executable, str(folder / "bench" / f"{name}.py"), "--tiny"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""
        return 1, said.decode() if isinstance(said, bytes) else said
    return done.returncode, done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
