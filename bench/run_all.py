#!/usr/bin/env python3
"""
Run every benchmark once at its smallest size; fail if one fails or prints no result.

    python bench/run_all.py
"""

import re
import subprocess
import sys
import time
from pathlib import Path

_HERE = Path(__file__).parent
_PATIENCE_S = 180
# What each prints as a result.
_RESULTS = {
    "collector": r"ok +0 totals that differ from the summary",
    "diff": r"\d s of CPU for syswatch diff(?s:.*)false alarms in \d+ pairs",
    "ebpf": r"\d times what .* adds to a call",
    "ebpf_objects": r"\d ns more with objects",
    "fleet": r"ms for each input, whatever(?s:.*)h of reading",
    "groups": r"sums are exact, 0 are not(?s:.*)ns more a call with --all --by cgroup",
    "metrics": r"\d ms of CPU for a scrape, native",
    "pages": r"\d % of a core",
    "profiles": r"of 40 injected calls refused by the kernel",
    "programs": r"make: \d+ ms untraced\n.* times as long",
    "ptrace": r"\d times as long as ",
    "pytest_overhead": r"all watched, \w+ .* passed; .* ms of CPU for each test",
    "record": r"calls a second of CPU to folded",
    "rows": r"ms of CPU for the summary, .* x that",
    "scrape_fleet": r"protobuf, native histograms(?s:.*)s for a quantile",
    "service": r"\d s from start to first answer",
    "slowhttp": r"\d ms to answer",
    "start": r"\d s of CPU for --version",
    "stats": r"\d x wc +\d.* x awk",
    "stress": r"\d stressors, \d+ of them with differences",
    "timeline": r"\d ms for a single call",
    "tui": r"\d % of a CPU to draw the UI",
}
_LEFT_OUT = "left out: "
# Found in every benchmark, and not in the programs that benchmarks start.
_MARK = "common.parser("


def main() -> int:
    """Run all benchmarks; return 1 if one does not work."""
    others = set(_HERE.glob("*.py")) - {Path(__file__)}
    benchmarks = {path.stem for path in others if _MARK in path.read_text()}
    broken = [f"{name} is not run" for name in benchmarks - _RESULTS.keys()]
    for name, result in _RESULTS.items():
        began = time.monotonic()
        status, output = _run(name)
        print(f"--- bench/{name}.py, {time.monotonic() - began:.0f} s\n{output}", flush=True)
        if status:
            broken.append(f"{name} failed with status {status}")
        elif not re.search(result, output) and _LEFT_OUT not in output:
            broken.append(f"{name} printed no result")
    print("\n".join(broken) or "all benchmarks work")
    return int(bool(broken))


def _run(name: str) -> tuple[int, str]:
    """Return the status and the output of a benchmark."""
    try:
        done = subprocess.run(
            [sys.executable, str(_HERE / f"{name}.py"), "--tiny"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        # Bytes, although text was asked for.
        return 1, (error.stdout or b"").decode()
    return done.returncode, done.stdout


if __name__ == "__main__":
    sys.exit(main())
