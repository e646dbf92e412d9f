"""
Containers as the container runtimes of this machine list them, on their local sockets.

Docker answers `GET /containers/json` on a Unix socket with a list of objects, of which these keys
are read: `Id` (64 hexadecimal digits), `Names` (each begins with a slash, and one with another
slash is a link from another container), and `Labels`.  Podman's socket answers in the same way.

A runtime may take its time.  So a thread asks it, and whoever needs a name looks for it later.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import attrs

from syswatch.base.classes import define, frozen

from .containers import ContainerFacts, label_texts

# With `all`, because a container makes its first calls before it counts as running.
_TARGET = "/containers/json?all=1"
# Of one answer; a container takes 1 to 2 KiB.
_MOST_BYTES = 8 * 1024 * 1024
# How long one socket may take, and how long a name is awaited.
_TIMEOUT_S = 2.0
_LONGEST_S = 3.0
# How long the end of a trace may wait for names.
_FINAL_S = 1.0


def own_sockets() -> Sequence[Path]:
    """Return where the runtimes of root and of this user listen, whatever the environment says."""
    user = Path(f"/run/user/{os.geteuid()}")
    return (
        Path("/run/docker.sock"),
        Path("/run/podman/podman.sock"),
        user / "docker.sock",
        user / "podman/podman.sock",
    )


@frozen
class _Answer:
    """What the runtimes have answered, and which containers it was asked for."""

    facts: Mapping[str, ContainerFacts]
    asked: frozenset[str]


@define
class RuntimeSockets:
    """Finds containers by ID without ever waiting for a runtime, until the trace has ended."""

    paths: Sequence[Path] = attrs.field(factory=own_sockets)
    clock: Callable[[], float] = time.monotonic
    _facts: Mapping[str, ContainerFacts] = attrs.field(factory=dict, init=False)
    # The containers whose names are awaited, and until when.
    _awaited: dict[str, float] = attrs.field(factory=dict, init=False)
    # Those that the runtimes have not listed, until they are looked for.
    _missing: set[str] = attrs.field(factory=set, init=False)
    _answers: SimpleQueue[_Answer] = attrs.field(factory=SimpleQueue, init=False)
    _thread: Thread | None = attrs.field(default=None, init=False)
    _is_over: bool = attrs.field(default=False, init=False)

    def facts(self, identity: str) -> Iterator[ContainerFacts]:
        """Yield what is known of a container."""
        if identity in self._facts:
            yield self._facts[identity]

    def is_ready(self, identity: str) -> bool:
        """Return whether a container is known, or will not be; if not, ask for it."""
        self._receive()
        now = self.clock()
        is_known = identity in self._facts or identity in self._missing or self._is_over
        if (
            is_known
            or not self._sockets()
            or now >= self._awaited.setdefault(identity, now + _LONGEST_S)
        ):
            self._awaited.pop(identity, None)
            self._missing.discard(identity)
            return True
        self._ask()
        return False

    def finish(self) -> None:
        """Wait a moment for what was asked for; after that, every container counts as ready."""
        end = self.clock() + _FINAL_S
        # The second time, for those that were not awaited yet when the thread began.
        for _ in range(2):
            if self._awaited:
                self._ask()
            if self._thread is not None:
                self._thread.join(max(end - self.clock(), 0))
            self._receive()
        self._is_over = True

    def _sockets(self) -> Sequence[Path]:
        return [path for path in self.paths if _is_socket(path)]

    def _ask(self) -> None:
        """Start a thread that asks, unless there is one, or its answer is yet to be taken."""
        if self._thread is not None and (self._thread.is_alive() or not self._answers.empty()):
            return
        asked = frozenset(self._awaited)
        self._thread = Thread(target=self._run, args=(asked,), name="runtimes", daemon=True)
        # Signals are for the thread that waits for them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _run(self, asked: frozenset[str]) -> None:
        facts: dict[str, ContainerFacts] = {}
        for path in self._sockets():
            facts.update(_listed(path))
        self._answers.put(_Answer(facts, asked))

    def _receive(self) -> None:
        """Take the answers that have come."""
        while not self._answers.empty():
            answer = self._answers.get()
            self._facts = answer.facts
            self._missing |= self._awaited.keys() & answer.asked - answer.facts.keys()
            for identity in (*answer.asked, *answer.facts):
                self._awaited.pop(identity, None)


def _is_socket(path: Path) -> bool:
    try:
        return path.is_socket()
    except OSError:
        # Its directory is closed to this user, as that of Podman usually is.
        return False


def _listed(path: Path) -> Iterator[tuple[str, ContainerFacts]]:
    """Yield ID and facts of each container that a runtime lists; none if it does not answer."""
    # Few traces ask, and it takes milliseconds to import.
    from .unix_http import RequestError, get

    try:
        entries = json.loads(get(path, _TARGET, _TIMEOUT_S, _MOST_BYTES))
    except (RequestError, ValueError, RecursionError):
        return
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping):
            facts = ContainerFacts("", _name(entry), labels=label_texts(entry.get("Labels")))
            yield str(entry.get("Id")), facts


def _name(entry: Mapping[str, Any]) -> str:
    """Return the name of a container, which is not that of a link."""
    listed = entry.get("Names")
    names = [str(name).removeprefix("/") for name in (listed if isinstance(listed, list) else ())]
    return next((name for name in names if "/" not in name), "")
