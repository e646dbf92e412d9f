"""
Measure recordings of every call: writing them, queries of them, and exports.

    python bench/record.py [--calls N] [--runs N] [--live] [--tiny]

The calls are made up: five kinds of calls of four threads on fifty files.  Times are CPU seconds of
the process that does the work, unless they say otherwise.  With --live, dd is traced with and
without recording.
"""

import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import common

try:
    import numpy as np
    import pyarrow.dataset
except ImportError:
    common.leave_out("everything", "the extra 'record' is not installed")
    sys.exit()

from syswatch.codec.events import EVENT, Flag
from syswatch.recording import segments
from syswatch.recording.export.formats import WRITERS
from syswatch.recording.export.selection import Selection
from syswatch.recording.manifest import Manifest
from syswatch.recording.query.database import Database
from syswatch.recording.read.opening import Recording
from syswatch.recording.write.recorder import Recorder
from syswatch.recording.write.tables import dtype

CALLS, TINY_CALLS = 10_000_000, 200_000
BLOCK = 100_000
EXPORTED, TINY_EXPORTED = 200_000, 10_000
BEGUN_NS = 1_700_000_000_000_000_000
# What a writer has to do for 500 000 calls a second with a fifth of a core.
LEAST_WRITTEN_A_SECOND = 1_250_000
MOST_BYTES_A_CALL = 40
# Of 50 million calls.
MOST_QUERY_S = 2.0
LEAST_EXPORTED_A_SECOND = 30_000
# How often a query takes the time that pyarrow needs to read the same columns.
MOST_TIMES_READING = 2.0
SQL = "SELECT name, count(*), sum(errors) FROM calls GROUP BY name"
QUERIES = (
    SQL,
    "SELECT object, sum(bytes) FROM calls GROUP BY object ORDER BY ALL LIMIT 10",
    "SELECT second, sum(calls) FROM seconds GROUP BY second ORDER BY second LIMIT 10",
    "SELECT * FROM calls ORDER BY duration DESC LIMIT 20",
)
DD_BLOCKS, TINY_DD_BLOCKS = 500_000, 5_000


def main() -> None:
    """Measure everything and print it."""
    parser = common.parser("Measure recordings.")
    parser.add_argument("--calls", type=int, default=CALLS, help="how many calls are queried")
    parser.add_argument("--runs", type=int, default=3, help="runs, of which the median counts")
    parser.add_argument("--live", action="store_true", help="trace dd, which needs privileges")
    arguments = parser.parse_args()
    runs = 1 if arguments.tiny else arguments.runs
    with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as folder:
        _write(Path(folder) / "queried", TINY_CALLS if arguments.tiny else arguments.calls)
        _query(Path(folder) / "queried", runs)
        _export(Path(folder) / "exported", TINY_EXPORTED if arguments.tiny else EXPORTED)
    if arguments.live:
        _live(TINY_DD_BLOCKS if arguments.tiny else DD_BLOCKS)


def _write(folder: Path, calls: int) -> None:
    """Write calls, and print what that takes."""
    made = np.random.default_rng(1)
    recorder = Recorder(folder, Manifest(BEGUN_NS))
    recorder.begin()
    # The first segment takes longer, because packages are imported.
    recorder.receive_events(_events(made, 0))
    recorder.close_segment()
    spent_s = 0.0
    for block in range(calls // BLOCK):
        data = _events(made, block)
        began_s = time.process_time()
        recorder.receive_events(data)
        spent_s += time.process_time() - began_s
    began_s = time.process_time()
    recorder.close_segment()
    spent_s += time.process_time() - began_s
    print(f"writing {calls:,} calls: {spent_s:.2f} s")
    common.judge(calls / spent_s, "calls a second of CPU", LEAST_WRITTEN_A_SECOND, least=True)
    common.judge(recorder.written_bytes / recorder.calls, "bytes a call", MOST_BYTES_A_CALL)


def _events(made: Any, block: int) -> bytes:
    """Return made-up events, one every two microseconds."""
    events = np.zeros(BLOCK, dtype())
    starts = np.arange(block * BLOCK, (block + 1) * BLOCK) * 2000
    events["start_ns"] = BEGUN_NS + starts + made.integers(0, 500, BLOCK)
    events["duration_ns"] = made.lognormal(6, 1, BLOCK)
    events["number"] = made.choice([0, 1, 3, 39, 257], BLOCK)
    events["pid"], events["tid"] = 5, made.integers(5, 9, BLOCK)
    events["object"] = made.integers(1000, 1050, BLOCK)
    fails = made.random(BLOCK) < 0.02
    events["result"] = np.where(fails, -2, made.choice([0, 1, 4096], BLOCK))
    events["flags"] = np.where(fails, Flag.FAILED, 0)
    events["bytes"] = events["result"].clip(0)
    events["argument0"], events["argument2"] = made.integers(0, 9, BLOCK), 4096
    return bytes(events.tobytes())


def _query(folder: Path, runs: int) -> None:
    """Print how long queries take, and how long pyarrow needs to read the same columns."""
    recording = Recording.open(folder)
    database = Database.open(recording)
    calls = database.rows("SELECT count(*) FROM calls")[0][0]
    print(f"queries of {calls:,} calls, in seconds of wall time:")
    for sql in QUERIES:
        times = [_wall_s(partial(database.rows, sql)) for _ in range(runs)]
        common.judge(statistics.median(times), sql, MOST_QUERY_S, runs=times)
    columns = ["name", "errno", "duration"]
    files = str(folder / segments.CALLS)
    reading = [
        _wall_s(lambda: pyarrow.dataset.dataset(files).to_table(columns=columns))
        for _ in range(runs)
    ]
    queries = [_wall_s(lambda: database.rows(SQL)) for _ in range(runs)]
    common.judge(common.ratio(queries, reading), "times reading with pyarrow", MOST_TIMES_READING)


def _export(folder: Path, calls: int) -> None:
    """Print how fast each export is, and how large."""
    made = np.random.default_rng(2)
    recorder = Recorder(folder, Manifest(BEGUN_NS))
    recorder.begin()
    for block in range(-(-calls // BLOCK)):
        recorder.receive_events(_events(made, block)[: calls * EVENT.size])
    recorder.close_segment()
    print(f"exports of {recorder.calls:,} calls:")
    for form, write in WRITERS.items():
        out = io.BytesIO()
        began_s = time.process_time()
        write(Selection(Recording.open(folder)), out)
        rate = recorder.calls / (time.process_time() - began_s)
        size = len(out.getvalue()) / recorder.calls
        what = f"calls a second of CPU to {form}, {size:.0f} bytes a call"
        common.judge(rate, what, LEAST_EXPORTED_A_SECOND, least=True)


def _live(blocks: int) -> None:
    """Trace dd with and without recording, and print what recording adds to a call."""
    for backend in ("ptrace", "ebpf"):
        plain, recorded = _dd_s(backend, blocks), None
        with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as folder:
            if plain is not None:
                recorded = _dd_s(backend, blocks, "--record", str(Path(folder) / "rec"))
        if plain is None or recorded is None:
            common.leave_out(f"dd with {backend}", "it cannot be traced here")
            continue
        added_ns = (recorded - plain) / (2 * blocks) * 1e9
        print(f"  {backend}: recording adds {added_ns:.0f} ns to a call of dd ({plain:.2f} s)")


def _dd_s(backend: str, blocks: int, *options: str) -> float | None:
    """Return how long dd takes by its own measure, or None if it cannot be traced."""
    dd = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={blocks}")
    words = ("run", "-c", "--backend", backend, *options, "--", *dd)
    done = subprocess.run(
        [sys.executable, "-m", "syswatch", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    found = re.search(r"copied, ([\d.e-]+) s", done.stderr)
    return float(found[1]) if found else None


def _wall_s(do: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    do()
    return time.perf_counter() - began_s


if __name__ == "__main__":
    main()
