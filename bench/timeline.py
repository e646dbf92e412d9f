#!/usr/bin/env python3
"""
Measure how long the timeline of a recording takes to answer, from the whole down to single calls.

    python bench/timeline.py [--calls N] [--seconds S] [--threads N] [--tiny]

The times are those of the process that reads the recording, with the encoding as JSON: the largest
of several requests for neighbouring ranges, of which none has been asked for before.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import common
import numpy as np

from syswatch.codec.events import Flag
from syswatch.recording.manifest import Manifest
from syswatch.recording.timeline.timeline import Timeline
from syswatch.recording.write.recorder import Recorder
from syswatch.recording.write.tables import dtype
from syswatch.views.records import encode

MOST_MS = 100
_SECOND_NS = 10**9
_BEGUN_NS = 1_700_000_000 * _SECOND_NS
# read, write, open, close, futex, epoll_wait
_NUMBERS = (0, 0, 1, 2, 3, 202, 232)
_COLUMNS = 640
_RANGES = 5


def main() -> None:
    """Write a recording, and measure everything."""
    parser = common.parser("Measure the timeline of a recording.")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=12)
    options = parser.parse_args()
    if options.tiny:
        options.calls, options.seconds = 20_000, 4
    with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as folder:
        recording = Path(folder) / "recording"
        _write(recording, options)
        _measure(recording, options)


def _write(folder: Path, options: argparse.Namespace) -> None:
    recorder = Recorder(folder, Manifest(_BEGUN_NS, ended_ns=_BEGUN_NS + options.seconds * 10**9))
    recorder.begin()
    random = np.random.default_rng(1)
    for second in range(options.seconds):
        for events in _events(second, options, random):
            recorder.receive_events(events.tobytes())
        recorder.close_segment()
    print(f"{recorder.calls:,} calls of {options.threads} threads in {options.seconds} s")


def _events(
    second: int, options: argparse.Namespace, random: np.random.Generator
) -> list[np.ndarray]:
    """Return the events of each thread in one second, one after the other."""
    found = []
    for thread in range(options.threads):
        size = options.calls // options.seconds // options.threads
        gap = _SECOND_NS // size
        events = np.zeros(size, dtype())
        events["start_ns"] = _BEGUN_NS + second * _SECOND_NS + np.arange(size) * gap
        events["duration_ns"] = np.minimum(random.lognormal(8, 1.2, size), gap * 0.9)
        waited = random.random(size) < 0.3
        events["waiting_ns"] = events["duration_ns"] * waited // 2
        failed = random.random(size) < 0.02
        events["flags"] = waited * int(Flag.WAITED) + failed * int(Flag.FAILED)
        events["result"] = np.where(failed, -2, 1)
        events["number"] = random.choice(_NUMBERS, size)
        events["pid"], events["tid"] = 100 + thread // 4, 100 + thread
        found.append(events)
    return found


def _measure(folder: Path, options: argparse.Namespace) -> None:
    timeline = Timeline(folder)
    times = [_ms(lambda: encode(timeline.lanes()))]
    while timeline.index.pending:
        times.append(_ms(lambda: encode(timeline.lanes())))
    print(f"  read in {len(times)} requests, {sum(times):.0f} ms in all")
    whole = options.seconds * _SECOND_NS
    for parts in (1, 2, 6, 20, 60, 300, 3000, 60_000):
        length = whole // parts
        starts = [int(whole * place / _RANGES) // length * length for place in range(_RANGES)]
        found = [_picture_ms(timeline, start, length) for start in dict.fromkeys(starts)]
        common.judge(max(found), f"ms for {length / _SECOND_NS:g} s", MOST_MS)
    common.judge(_ms(lambda: encode(timeline.call("0-0"))), "ms for a single call", MOST_MS)
    common.judge(_ms(lambda: encode(timeline.search("ENOENT"))), "ms for a search", MOST_MS)
    common.judge(_ms(lambda: encode(timeline.search("nowhere"))), "ms to find nothing", MOST_MS)


def _picture_ms(timeline: Timeline, start: int, length: int) -> float:
    return _ms(lambda: encode(timeline.picture(start, start + length, _COLUMNS)))


def _ms(act: Callable[[], object]) -> float:
    """Return the CPU time of an action, which does not depend on what else runs."""
    begun = time.process_time()
    act()
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    main()
