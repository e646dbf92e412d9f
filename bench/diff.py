#!/usr/bin/env python3
"""
Measure `syswatch diff`: how long it takes, and whether it finds what has changed, and only that.

    python bench/diff.py [--paths N] [--runs N] [--tiny]
    python bench/diff.py --pairs [N] [--backend BACKEND] [--keep FOLDER] [PROGRAM...]

The first compares two recordings of a program that opens many files.
Times are CPU seconds of whole commands, start and end of the program included.  The others do a
part of it: sort and diff compare the lists of paths with their numbers, which are ready in text
files; DuckDB counts the calls on each file of both recordings and joins them.

The second records programs of many kinds, each several times, and compares each run with three
others: any change that is reported is a false alarm.  Then it records runs with a change, each of
which is to be found.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import common
import diff_pairs

MOST_S = 1.0
PATHS, TINY_PATHS = 10_000, 300
# Every hundredth file differs between the runs, and every fifth does not exist.
PROGRAM = """
import os, sys
folder, paths, run = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for place in range(paths):
    name = f"{folder}/d{place % 97}/file-{place if place % 100 else place + run}.conf"
    try:
        os.close(os.open(name, os.O_RDONLY | (os.O_CREAT if place % 5 else 0)))
    except OSError:
        pass
"""
JOIN = """
import sys, duckdb
counts = (
    "SELECT o.name, count(*) n FROM read_parquet('{0}/calls/*.parquet') c"
    " JOIN read_parquet('{0}/objects.parquet') o USING (object) GROUP BY ALL"
)
one, other = (counts.format(each) for each in sys.argv[1:])
query = f"SELECT name, a.n, b.n FROM ({one}) a FULL JOIN ({other}) b USING (name)"
print(len(duckdb.sql(f"{query} WHERE a.n IS DISTINCT FROM b.n").fetchall()))
"""


def main() -> None:
    """Measure what is asked for."""
    parser = common.parser("Measure how long comparing two recordings takes.")
    parser.add_argument("--paths", type=int, default=PATHS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, nargs="?", const=diff_pairs.PAIRS, default=0)
    parser.add_argument("--backend", choices=("ebpf", "ptrace"))
    parser.add_argument("--keep", type=Path, help="keep the recordings, or use those kept there")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="by default, all")
    options = parser.parse_args()
    if options.tiny:
        options.paths, options.runs = TINY_PATHS, 1
    if options.tiny or not options.pairs:
        _compare_large(options)
    if options.tiny or options.pairs:
        with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as place:
            folder = options.keep or Path(place)
            folder.mkdir(parents=True, exist_ok=True)
            diff_pairs.compare_pairs(folder.absolute(), options)


def _compare_large(options: argparse.Namespace) -> None:
    """Record both runs of the program with many files, and compare them with everything."""
    with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as place:
        folder = Path(place)
        recordings = [_record(folder, options, run) for run in range(2)]
        _measure(folder, recordings, options)


def _record(folder: Path, options: argparse.Namespace, run: int) -> str:
    files, recording = folder / "files", str(folder / f"{run}.rec")
    for number in range(97):
        (files / f"d{number}").mkdir(parents=True, exist_ok=True)
    command = (sys.executable, "-S", "-c", PROGRAM, str(files), str(options.paths), str(run))
    tracing = (sys.executable, "-m", "syswatch", "run", "-o", os.devnull, "--record", recording)
    subprocess.run([*tracing, "--", *command], check=True, stderr=subprocess.DEVNULL)
    return recording


def _measure(folder: Path, recordings: Sequence[str], options: argparse.Namespace) -> None:
    print(f"two recordings of a program that opens {options.paths:,} files")
    ours = (sys.executable, "-m", "syswatch", "diff", *recordings)
    spent = [_cpu_s(ours, statuses=(1,)) for _ in range(options.runs)]
    common.judge(statistics.median(spent), "s of CPU for syswatch diff", MOST_S, runs=spent)
    start = [_cpu_s((*ours[:3], "--version")) for _ in range(options.runs)]
    print(f"  of which {statistics.median(start):.3g} s to start, as syswatch --version takes")
    lists = _lists(folder, recordings)
    script = 'sort -o "$1" "$1"; sort -o "$2" "$2"; diff "$1" "$2"'
    _beside("sort and diff of the paths", ("sh", "-c", script, "sh", *lists), spent)
    try:
        import duckdb  # noqa: F401  the process that is measured imports it
    except ImportError:
        common.leave_out("DuckDB", "the extra 'record' is not installed")
        return
    _beside("DuckDB, joining the paths", (sys.executable, "-c", JOIN, *recordings), spent)


def _beside(what: str, command: Sequence[str], ours: Sequence[float]) -> None:
    """Measure another program, and print how often its time ours is."""
    theirs = [max(_cpu_s(command, statuses=(0, 1)), 1e-3) for _ in ours]
    print(
        f"  {statistics.median(theirs):.3g} s of CPU for {what}:"
        f" syswatch diff takes {common.ratio(ours, theirs):.3g} times as long"
    )


def _lists(folder: Path, recordings: Sequence[str]) -> list[str]:
    """Write the paths of each recording with their numbers, as a script would count them."""
    lists = []
    for recording in recordings:
        reading = (sys.executable, "-m", "syswatch", "stats", "--format", "json", recording)
        summary = subprocess.run(reading, check=True, capture_output=True).stdout
        file = folder / f"{Path(recording).stem}.txt"
        file.write_text("".join(_lines(summary)))
        lists.append(str(file))
    return lists


def _lines(summary: bytes) -> list[str]:
    return [f"{each['path']} {each['count']}\n" for each in json.loads(summary)["Files"]]


def _cpu_s(command: Sequence[str], statuses: Sequence[int] = (0,)) -> float:
    """Run a command and return the CPU time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in statuses:
        raise SystemExit(f"{command[0]} failed with status {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
