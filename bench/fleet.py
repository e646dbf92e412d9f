"""
Reading many logs on a Dask cluster: the same bytes as without one, how fast, and what a task costs.

Four workers in processes of their own read logs of a build.  The summary must be that of the local
engine, byte by byte, also if a worker is killed midway.
"""

import itertools
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import common

# If the extra `dask` is not installed, `main` says so.
with suppress(ImportError):
    from distributed import Client, LocalCluster

WORKERS = 4
# Of the plan that is printed.
PLANNED_BYTES = 10_000_000_000_000
PLANNED_WORKERS = 100
# So few processes and files that no table of the summary exceeds its limit, even for all logs
# together: what a limit cuts depends on when a reader adds its sums.
_PROCESSES = 100
_FILES_OF_PROCESS = 10
_FILES = 200
_MICROS_APART = 450


def log_of(number: int, size: int) -> bytes:
    """Return a log of short processes, of about this size."""
    lines: list[bytes] = []
    length = 0
    micros = number
    for process in itertools.count():
        for line in _calls_of(process, b"/build/%d/src" % (number % 7)):
            seconds = micros // 1_000_000
            time = (8 + seconds // 3600, seconds // 60 % 60, seconds % 60, micros % 1_000_000)
            pid = 1000 + process % _PROCESSES
            lines.append(b"%d %02d:%02d:%02d.%06d %s" % (pid, *time, line))
            length += len(lines[-1]) + 1
            micros += _MICROS_APART
            if length >= size:
                return b"\n".join(lines) + b"\n"
    raise AssertionError


def _calls_of(process: int, folder: bytes) -> Iterator[bytes]:
    """Yield what strace writes of a process, without PIDs and times."""
    for at in range(_FILES_OF_PROCESS):
        file = process * _FILES_OF_PROCESS + at
        name = b"%s/file%d.h" % (folder, file % _FILES)
        yield b'openat(AT_FDCWD, "%s", O_RDONLY) = 3<%s> <0.000%03d>' % (name, name, at * 37 + 10)
        yield b'read(3<%s>, "#include"..., 4096) = 812 <0.000%03d>' % (name, file % 90 + 5)
        yield b"close(3<%s>) = 0 <0.000%03d>" % (name, at % 9 + 1)
        yield (
            b'access("/nowhere/%d", F_OK) = -1 ENOENT (No such file or directory) <0.000009>'
            % (file % 50)
        )
    yield b"+++ exited with 0 +++"


def summary(engine: str, logs: list[str]) -> tuple[bytes, float]:
    """Return the summary as JSON, and how long it took."""
    begin = time.monotonic()
    words = [sys.executable, "-m", "syswatch", "stats", "--engine", engine, "--format", "json"]
    output = subprocess.run([*words, *logs], check=True, stdout=subprocess.PIPE).stdout
    return output, time.monotonic() - begin


def kill_after(cluster: LocalCluster, delay_s: float) -> threading.Thread:
    """Kill a worker after a time, in another thread."""
    with Client(cluster, set_as_default=False) as client:
        victim = min(client.run(os.getpid).values())

    def kill() -> None:
        time.sleep(delay_s)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def cluster_of(workers: int) -> LocalCluster:
    """Return a cluster of processes with one thread each."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )


def measure(folder: Path, count: int, total_bytes: int) -> None:
    """Read all logs in each way, and print what was measured."""
    logs = []
    for number in range(count):
        path = folder / f"{number:04}.log"
        path.write_bytes(log_of(number, total_bytes // count))
        logs.append(str(path))
    size = sum(Path(each).stat().st_size for each in logs)
    print(f"{count} logs, {size / 1e6:,.0f} MB, {os.cpu_count()} CPUs", flush=True)
    tiny = folder / "tiny.log"
    tiny.write_bytes(log_of(0, 200))

    local, local_s = summary("local", logs)
    print(f"  local engine: {local_s:.1f} s, {size / local_s / 1e6:.1f} MB/s", flush=True)
    with cluster_of(1) as cluster:
        one, one_s = summary(f"dask://{cluster.scheduler_address}", logs)
        nothing_s = min(
            summary(f"dask://{cluster.scheduler_address}", [str(tiny)])[1] for _ in range(2)
        )
        many, many_s = summary(f"dask://{cluster.scheduler_address}", [str(tiny)] * 5 * count)
    print(f"  1 worker: {one_s:.1f} s, of which {nothing_s:.1f} s to start", flush=True)
    with cluster_of(WORKERS) as cluster:
        address = f"dask://{cluster.scheduler_address}"
        four, four_s = summary(address, logs)
        print(f"  {WORKERS} workers: {four_s:.1f} s", flush=True)
        killing = kill_after(cluster, four_s / 2)
        killed, killed_s = summary(address, logs)
        killing.join()
        print(f"  {WORKERS} workers, one killed midway: {killed_s:.1f} s", flush=True)

    same = sum(each == local for each in (one, four, killed))
    common.judge(same, "of 3 summaries are those of the local engine, byte by byte", 3, least=True)
    cpus = min(os.cpu_count() or 1, WORKERS)
    print(f"  {one_s / four_s:.2f} times as fast as 1 worker, on {cpus} CPUs")
    print(f"  {local_s / four_s:.2f} times as fast as the local engine")
    task_s = max(many_s - nothing_s, 0) / (5 * count)
    assert many
    print(f"  {task_s * 1e3:.1f} ms for each input, whatever is in it")
    _plan(size / max(one_s - nothing_s, 0.1), task_s, size // count)


def _plan(bytes_per_s: float, task_s: float, input_bytes: int) -> None:
    """Print how long a large fleet would take, by the numbers measured here."""
    read_s = PLANNED_BYTES / (bytes_per_s * PLANNED_WORKERS)
    print(
        f"  plan: 10 TB on {PLANNED_WORKERS} workers that read {bytes_per_s / 1e6:.1f} MB/s each:"
        f" {read_s / 3600:.1f} h of reading"
    )
    for each in (max(input_bytes, 16_000_000), 1_000_000_000):
        tasks = PLANNED_BYTES // each
        # At most so long: most of this is done by the workers, which were one process here.
        print(
            f"    in logs of {each / 1e6:,.0f} MB: {tasks:,} inputs, for which the scheduler and"
            f" the client need at most {tasks * task_s / 3600:.1f} h"
        )


def main() -> None:
    """Measure."""
    options = common.parser(__doc__ or "")
    options.add_argument("--logs", type=int, default=200, help="how many logs are read")
    options.add_argument("--megabytes", type=int, default=4000, help="how large they are together")
    chosen = options.parse_args()
    if find_spec("distributed") is None:
        common.leave_out("reading on a cluster", "the extra dask is not installed")
        return
    count, megabytes = (6, 1) if chosen.tiny else (chosen.logs, chosen.megabytes)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), count, megabytes * 1_000_000)


if __name__ == "__main__":
    main()
