"""
Compare the time and memory to read and to record logs with `wc -l` and `awk`.

Run it with nothing else running:  python bench/stats.py [--runs N] [--large] [--tiny] [FILE]

The log is the sample of this repository in the form of `strace -f -T`, repeated to 400 000 lines;
with --large also to 2 GB; then with each second call in two halves, as in a log of processes that
run at the same time; then logs that strace writes of a build, and of many short commands.  FILE is
another log to repeat.
"""

import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import common
import traced

from syswatch.codec.frames import Decoder, encode
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, FilterOptions, ReadLogs

LINES = 400_000
TINY_LINES = 10_000
LARGE_BYTES = 2_000_000_000
MOST_RESIDENT_MB = 120
LEAST_LINES_A_SECOND = 400_000
LEAST_HALVES_A_SECOND = 300_000
LEAST_RECORDED_A_SECOND = 300_000
_SAMPLE = Path(__file__).parents[1] / "examples" / "git-clone.log"
_COUNT_NAMES = r"""
{ sub(/^[0-9]+ +([0-9:]+\.[0-9]+ )?/, "") }
{ if (match($0, /^[a-z_0-9]+\(/)) count[substr($0, 1, RLENGTH)]++ }
END { for (name in count) print name, count[name] }
"""
_TRACER = ("-m", "syswatch.tracer")
# Without the modules that are compiled.
_IN_PYTHON = (
    "-c",
    """
import runpy, sys
for name in ("plain_rows", "compiled_loops", "compiled_sums"):
    sys.modules["syswatch.tracer.stracelog." + name] = None
runpy.run_module("syswatch.tracer", run_name="__main__", alter_sys=True)
""",
)
_HEAVY = ("twisted", "klein", "autobahn", "zope", "asyncio", "ssl", "http", "email", "prometheus")


def main() -> None:
    """Measure everything and print it."""
    parser = common.parser("Measure the reading of logs.")
    parser.add_argument("log", nargs="?", type=Path, default=_SAMPLE, help="what to repeat")
    parser.add_argument("--runs", type=int, default=5, help="runs, of which the median counts")
    parser.add_argument("--large", action="store_true", help="read a log of 2 GB as well")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as folder:
        log = Path(folder) / "bench.log"
        sample = _as_of_f_and_t(arguments.log.read_bytes())
        lines = TINY_LINES if arguments.tiny else LINES
        repeats = -(-lines // sample.count(b"\n"))
        _repeat(sample, repeats, log)
        _imports()
        runs = 1 if arguments.tiny else arguments.runs
        _speed(log, runs)
        _recording(log, runs, Path(folder) / "recording")
        halves = Path(folder) / "halves.log"
        _repeat(traced.in_halves(sample), repeats * 2 // 3, halves)
        print("with each second call in two halves:")
        _speed(halves, runs, LEAST_HALVES_A_SECOND)
        for title, real in traced.logs(Path(folder), tiny=arguments.tiny):
            print(f"{title}:")
            _speed(real, runs, LEAST_HALVES_A_SECOND)
        _whole(f"{lines} lines", log)
        if arguments.large:
            _repeat(sample, LARGE_BYTES // len(sample), log)
            _whole("2 GB", log)


def _as_of_f_and_t(log: bytes) -> bytes:
    """Remove the time of day from the lines of a log."""
    return re.sub(rb"(?m)^(\d+ +)[\d:.]+ ", rb"\1", log)


def _repeat(sample: bytes, times: int, log: Path) -> None:
    with log.open("wb") as out:
        for _ in range(times):
            out.write(sample)


# --- speed -----------------------------------------------------------------------------------


def _speed(log: Path, runs: int, least: int = LEAST_LINES_A_SECOND) -> None:
    size, lines = log.stat().st_size, int(_output("wc", "-l", str(log)).split()[0])
    cpus = os.cpu_count() or 1
    print(f"{lines:,} lines, {size / 1e6:.1f} MB, {cpus} CPUs, median of {runs} runs:")
    subjects: dict[str, Callable[[], object]] = {
        "wc -l": lambda: _output("wc", "-l", str(log)),
        "awk counting names": lambda: _output("awk", _COUNT_NAMES, str(log)),
        "syswatch, 1 worker": lambda: _read(log, 1),
        f"syswatch, {cpus} workers": lambda: _read(log, cpus),
        "syswatch in Python, 1 worker": lambda: _read(log, 1, tracer=_IN_PYTHON),
        "syswatch --no-objects, 1 worker": lambda: _read(log, 1, objects=False),
    }
    # In turn, so that other load affects all of them.
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, subject in subjects.items():
            seconds[name].append(_timed(subject))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        ratios = [median / medians[other] for other in ("wc -l", "awk counting names")]
        print(
            f"  {name:31} {median:7.3f} s {lines / median:12,.0f} lines/s"
            f" {size / median / 1e6:8.1f} MB/s {ratios[0]:6.1f} x wc {ratios[1]:5.2f} x awk"
        )
    if cpus > 1:
        gain = medians["syswatch, 1 worker"] / medians[f"syswatch, {cpus} workers"]
        print(f"  {gain:.2f} times as fast with {cpus} workers as with 1")
    rate = lines / medians["syswatch, 1 worker"]
    common.judge(rate, "lines/s with one worker", least, least=True)


def _recording(log: Path, runs: int, folder: Path) -> None:
    """Compare making a recording of a log with reading it, and with awk."""
    lines, cpus = int(_output("wc", "-l", str(log)).split()[0]), os.cpu_count() or 1
    print(f"a recording of {lines:,} lines, {cpus} CPUs, median of {runs} runs:")
    subjects: dict[str, Callable[[], object]] = {
        "awk counting names": lambda: _output("awk", _COUNT_NAMES, str(log)),
        "stats": lambda: _stats(log),
        "stats --record": lambda: _stats(log, "--record", str(_emptied(folder))),
    }
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, subject in subjects.items():
            before = _cpu_of_children()
            passed = _timed(subject)
            spent[name].append((passed, _cpu_of_children() - before))
    medians = {
        name: [statistics.median(each) for each in zip(*times, strict=True)]
        for name, times in spent.items()
    }
    for name, (passed, cpu) in medians.items():
        ratios = [cpu / medians[other][1] for other in ("stats", "awk counting names")]
        print(
            f"  {name:20} {passed:7.3f} s {lines / passed:12,.0f} lines/s, {cpu:6.3f} s of CPU"
            f" {ratios[0]:5.2f} x stats {ratios[1]:6.2f} x awk"
        )
    size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    print(f"  {size / lines:.1f} bytes a line")
    passed, cpu = medians["stats --record"]
    print(f"  {lines / cpu:,.0f} lines for each second of CPU")
    common.judge(lines / passed, "lines/s recorded", LEAST_RECORDED_A_SECOND, least=True)


def _stats(log: Path, *options: str) -> None:
    _output(sys.executable, "-m", "syswatch", "stats", *options, str(log))


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _cpu_of_children() -> float:
    """Return the CPU time of ended children in seconds, to the microsecond."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed(subject: Callable[[], object]) -> float:
    began = time.perf_counter()
    subject()
    return time.perf_counter() - began


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _read(
    log: Path, workers: int, *, objects: bool = True, tracer: Sequence[str] = _TRACER
) -> Delta:
    """Read a log in a tracer child, from its start to its exit."""
    frames, theirs = os.pipe()
    orders, ours = os.pipe()
    command = [sys.executable, *tracer, str(theirs), str(orders)]
    child = subprocess.Popen(command, pass_fds=(theirs, orders))
    for each in (theirs, orders):
        os.close(each)
    os.write(ours, encode(ReadLogs((str(log),), workers, FilterOptions(objects=objects))))
    total = Delta()
    decoder = Decoder()
    while data := os.read(frames, 1 << 20):
        decoder.receive_data(data)
        for message in decoder.events():
            if isinstance(message, Delta):
                total += message
            elif isinstance(message, Ended):
                os.close(ours)
    os.close(frames)
    child.wait()
    assert total.reading.lines, "the tracer read nothing"
    return total


# --- memory and the first answer -------------------------------------------------------------


def _whole(title: str, log: Path) -> None:
    """Read a log with the service, and print the memory of its processes."""
    print(f"the service with a log of {title} ({log.stat().st_size / 1e6:,.0f} MB):")
    peaks: dict[int, tuple[str, float]] = {}
    with _serving(log) as (process, url):
        began = time.perf_counter()
        done = False
        while not done:
            for pid in (process.pid, *common.descendants(process.pid)):
                peaks[pid] = _peak(pid, process.pid) or peaks[pid]
            done = json.loads(_get(url + "api/status"))["Done"]
            time.sleep(0.02)
        print(f"  read in {time.perf_counter() - began:.1f} s")
        peaks[process.pid] = _peak(process.pid, process.pid) or peaks[process.pid]
    for role, megabytes in peaks.values():
        print(f"  {role:8} {megabytes:6.1f} MB peak")
    total = sum(megabytes for _, megabytes in peaks.values())
    common.judge(total, "MB in all", MOST_RESIDENT_MB)


@contextmanager
def _serving(log: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/"
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "syswatch", "stats", "--serve", url[7:-1], str(log)],
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        while not _answers(url):
            time.sleep(0.005)
        seconds = time.perf_counter() - began
        common.judge(seconds, "s to the first answer", 1)
        yield process, url
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return bool(_get(url + "api/status"))
    except OSError:
        return False


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:  # noqa: S310  our own server
        return bytes(answer.read())


def _peak(pid: int, service: int) -> tuple[str, float] | None:
    """Return the role and the peak memory of a process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return None
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    if "VmHWM" not in fields:
        return None
    parent = int(fields["PPid"])
    role = "service" if pid == service else "tracer" if parent == service else "helper"
    return role, int(fields["VmHWM"].split()[0]) * 1024 / 1e6


# --- imports of the child --------------------------------------------------------------------


def _imports() -> None:
    code = (
        "import sys, time; began = time.perf_counter(); "
        "import syswatch.tracer.inputs.input_reader; "
        "print(time.perf_counter() - began); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    seconds, modules = _output(sys.executable, "-c", code).splitlines()
    print(f"the child imports its reader in {1000 * float(seconds):.0f} ms, and loads:")
    print("  " + " ".join(name for name in modules.split() if not name.startswith("_")))
    heavy = sorted(set(modules.split()) & set(_HEAVY))
    common.judge(len(heavy), f"heavy modules: {' '.join(heavy) or 'none'}", 0)


if __name__ == "__main__":
    main()
