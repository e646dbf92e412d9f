"""Run a program under strace and under a backend, and keep every line."""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from syswatch.model.delta import Delta
from syswatch.model.messages import Failed, RunCommand, TraceOptions
from tests.tracer.harness import NOTHING_IGNORED, PATIENCE_S, start

from .masking import masked

_WHOLE_LOG = (sys.executable, "-P", str(Path(__file__).with_name("whole_log.py")))
# Per second; more than any of these programs makes.
_EVERY_CALL = 1_000_000
_NEW_THREAD = re.compile(r"(?:clone3?|v?fork)\(.* = (\d+)$")
_QUIET = ("-qq", "-a1", "-esignal=none")

# The lines of each thread, by its position in the tree of threads: "0", "0.0", "0.1", "0.1.0".
Lines = Mapping[str, Sequence[str]]


class IncompleteError(Exception):
    """A tracer has not logged every call."""


@attrs.frozen
class Place:
    """The directory and the additional variables of a program."""

    folder: Path
    environment: Mapping[str, str]


def under_strace(command: Sequence[str], place: Place, logs: Path) -> Lines:
    """Return the lines of strace."""
    for old in logs.iterdir():
        old.unlink()
    process = subprocess.Popen(
        [*NOTHING_IGNORED, "strace", "-ff", *_QUIET, "-o", logs / "log", *command],
        cwd=place.folder,
        env={**os.environ, **place.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _, said = process.communicate(timeout=PATIENCE_S)
    by_thread = {
        int(path.name.removeprefix("log.")): path.read_text().splitlines()
        for path in logs.iterdir()
    }
    if not by_thread:
        raise IncompleteError(
            f"strace logged nothing and exited with {process.returncode}: {said.decode()}"
        )
    return _arranged(by_thread, process.pid)


def under_us(command: Sequence[str], place: Place, backend: str) -> Lines:
    """Return the lines of a backend."""
    options = TraceOptions(backend=backend, log_rate=_EVERY_CALL)
    job = RunCommand(tuple(command), str(place.folder), dict(place.environment), options=options)
    tracer = start(job, tracer=_WHOLE_LOG)
    outcome = tracer.finish()
    if isinstance(outcome.ending, Failed):
        raise IncompleteError(outcome.ending.message)
    if outcome.delta.ledger.sampled_entries:
        raise IncompleteError(f"{outcome.delta.ledger.sampled_entries} calls are not in the log")
    by_thread: dict[int, list[str]] = defaultdict(list)
    for message in outcome.messages:
        for entry in message.log if isinstance(message, Delta) else ():
            name = entry.name.partition("@")[0]
            error = f" {entry.error}" if entry.error else ""
            by_thread[entry.pid].append(f"{name}({entry.args}) = {entry.ret}{error}")
    if not by_thread:
        raise IncompleteError(f"nothing was logged until {outcome.ending}")
    return _arranged(by_thread, tracer.process.pid)


def _arranged(by_thread: Mapping[int, Sequence[str]], tracer: int) -> Lines:
    """Name the threads by their position, and mask what varies."""
    children = {tid: list(_children(lines)) for tid, lines in by_thread.items()}
    born = {child for numbers in children.values() for child in numbers}
    roots = set(by_thread) - born
    if len(roots) != 1:
        raise IncompleteError(f"threads without the call that created them: {sorted(roots)}")
    (first,) = roots
    places: dict[int, str] = {tracer: "TRACER"}
    waiting = [(first, "0")]
    for tid, place in waiting:
        places[tid] = place
        own = enumerate(children.get(tid, ()))
        waiting += [(child, f"{place}.{number}") for number, child in own]
    names = {tid: f"THREAD-{place}" for tid, place in places.items()}
    return {places[tid]: [masked(line, names) for line in by_thread[tid]] for tid in by_thread}


def _children(lines: Iterable[str]) -> Iterable[int]:
    for line in lines:
        match = _NEW_THREAD.match(line)
        if match:
            yield int(match[1])
