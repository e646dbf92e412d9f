"""Shows what `syswatch diff` finds in runs of real programs, identical ones and changed ones."""

import argparse
import functools
import http.server
import itertools
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import common
import diff_wrapper
from diff_programs import PROGRAMS, Program, make_surroundings

from syswatch.comparison.change import Change
from syswatch.comparison.changes import changes
from syswatch.comparison.run import Figure, Kind, Run
from syswatch.comparison.sources.source import read
from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import BACKENDS, EBPF

PAIRS = 200
# Runs that a run is compared with.
BEFORE = 3
TINY = ("python threads", "slow fsync")
# Findings of one false alarm.
MOST_PRINTED = 5
NONE = "none"
SLOWER = 1.3
# ls ends with 1 if it cannot read everything, and xargs with 123 if one grep has found nothing.
_STATUSES = (0, 1, 123)
_HERE = Path(__file__).parent


@attrs.frozen
class Injection:
    """A change that is made in a run, and the number that shows it."""

    name: str
    title: str
    kind: Kind
    subject: str
    figure: Figure

    def is_found(self, found: Sequence[Change]) -> bool:
        """Return whether the change is among those that were found."""
        return any(
            each.subject.kind is self.kind
            and self.subject in each.subject.name
            and each.figure is self.figure
            and each.difference > 0
            for each in found
        )


INJECTIONS = (
    Injection("call", "one extra call", Kind.CALL, "getppid", Figure.COUNT),
    Injection("open", "one more open of a known file", Kind.FILE, diff_wrapper.KNOWN, Figure.COUNT),
    Injection("path", "one extra failing path", Kind.PATH, diff_wrapper.MISSING, Figure.ERRORS),
    Injection("peer", "one new peer", Kind.PEER, diff_wrapper.PEER, Figure.COUNT),
    Injection("bytes", "twice the bytes", Kind.FILE, diff_wrapper.WRITTEN, Figure.BYTES_OUT),
)
SLOW_FSYNC = Injection("fsync", "30 % slower fsync", Kind.CALL, "fsync", Figure.P50)


@attrs.frozen
class Bench:
    """Where programs run, and how they are traced."""

    folder: Path
    backend: str
    port: int
    free_port: int

    def run(self, program: Program, number: int, change: str = NONE) -> Run:
        """Return a run, which is recorded unless it is there already."""
        name = f"{self.backend}-{program.name}-{change}-{number}.rec".replace(" ", "-")
        recording = self.folder / name
        if not recording.exists():
            if change == NONE and not number:
                # What it does only once on a machine, such as to fill a cache.
                self._start(program, (*self._disk(program, change), *_shell(program.script)))
            self._record(program, change, recording)
        return read(str(recording)).without_origin()

    def _record(self, program: Program, change: str, recording: Path) -> None:
        wrapper = (sys.executable, "-I", str(_HERE / "diff_wrapper.py"))
        words = ("run", "--backend", self.backend, "-o", os.devnull, "--record", str(recording))
        command = (
            *self._disk(program, change),
            *(sys.executable, "-m", "syswatch", *words, "--"),
            *(*wrapper, change, str(self.port), *_shell(program.script)),
        )
        done = self._start(program, command)
        if not recording.exists() or done.returncode not in _STATUSES:
            raise SystemExit(f"{program.name} failed with {done.returncode}: {done.stderr}")

    def _start(
        self, program: Program, command: Sequence[str]
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command where the programs run, after what is to be done before."""
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder / "work"),
            "PORT": str(self.port),
            "FREE_PORT": str(self.free_port),
        }
        start = functools.partial(
            subprocess.run,
            cwd=self.folder / "work",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if program.before:
            start(_shell(program.before))
        return start(command)

    def _disk(self, program: Program, change: str) -> Sequence[str]:
        """Return the command that makes the part of the disk on which fsync takes a fixed time."""
        if not program.fsync_ms:
            return ()
        took_ms = round(program.fsync_ms * (SLOWER if change == SLOW_FSYNC.name else 1))
        return (sys.executable, str(_HERE / "slow_files.py"), str(took_ms), "slow")


def _shell(script: str) -> Sequence[str]:
    return (shutil.which("sh") or "/bin/sh", "-c", script)


def compare_pairs(folder: Path, options: argparse.Namespace) -> None:
    """Compare identical runs, and runs with a change, and print what was found."""
    backend = options.backend or _usable_backend()
    programs = _programs(options)
    if not (folder / "work").exists():
        (folder / "work").mkdir()
        make_surroundings(folder / "work", programs)
    with _server() as port:
        bench = Bench(folder, backend, port, _free_port())
        number = max(BEFORE + 1, -(-options.pairs // max(len(programs), 1)))
        results = [_result(bench, program, number) for program in programs]
    pairs, alarms = (sum(values) for values in zip(*(each.pairs for each in results), strict=True))
    what = f"false alarms in {pairs} pairs of identical runs of {len(results)} programs ({backend})"
    common.judge(alarms, what, 0)
    for injection in (*INJECTIONS, SLOW_FSYNC):
        made = [each.found[injection] for each in results if injection in each.found]
        if made:
            what = f"of {len(made)} found: {injection.title}"
            common.judge(sum(made), what, len(made), least=True)


@attrs.frozen
class Result:
    """What the comparisons of the runs of one program have found."""

    # How many pairs of identical runs there are, and in how many of them a change was reported.
    pairs: tuple[int, int]
    found: Mapping[Injection, bool]


def _result(bench: Bench, program: Program, number: int) -> Result:
    """Record so many runs of a program, and some with changes; print what is wrong."""
    runs = [bench.run(program, at) for at in range(number)]
    alarms = 0
    for after, before in _pairs(runs):
        reported = changes(before, [after]).findings
        alarms += bool(reported)
        for finding in reported[:MOST_PRINTED]:
            print(f"  {program.name}, false alarm in {after.name}: {finding.text}", flush=True)
    found = {}
    for injection in (SLOW_FSYNC,) if program.fsync_ms else INJECTIONS:
        changed = bench.run(program, 0, injection.name)
        found[injection] = injection.is_found(changes(runs[:BEFORE], [changed]).changes)
        if not found[injection]:
            print(f"  {program.name}, not found: {injection.title}", flush=True)
    return Result((number, alarms), found)


def _pairs(runs: Sequence[Run]) -> Iterator[tuple[Run, Sequence[Run]]]:
    """Yield each run as the one after, and those that follow it in a circle as those before."""
    for at, after in enumerate(runs):
        yield after, list(itertools.islice(itertools.cycle(runs), at + 1, at + 1 + BEFORE))


def _programs(options: argparse.Namespace) -> list[Program]:
    """Return those that are asked for and can run here; print which cannot, and why."""
    names = TINY if options.tiny else options.programs or [each.name for each in PROGRAMS]
    asked = [each for each in PROGRAMS if each.name in names]
    found = [each for each in asked if each.is_installed]
    if os.geteuid() or not os.access("/dev/fuse", os.W_OK):
        for each in found:
            if each.fsync_ms:
                common.leave_out(each.name, "a file system in user space needs root and /dev/fuse")
        found = [each for each in found if not each.fsync_ms]
    return found


def _usable_backend() -> str:
    """Return the backend that is used by default with the rights of this process."""
    facts = read_facts()
    usable = [each.name for each in BACKENDS if backend_verdict(each, facts).usable]
    return max(usable, key=lambda name: name == EBPF.name)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def _server() -> Iterator[int]:
    """Serve files and answer connections while a block runs; yield the port."""
    with http.server.ThreadingHTTPServer(("", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield int(server.server_port)
        server.shutdown()


class _Handler(http.server.SimpleHTTPRequestHandler):
    log_message: Callable[..., None] = lambda *_: None
