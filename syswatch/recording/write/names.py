"""What deltas that are dropped have named, and what occurs later may refer to."""

from collections.abc import Mapping
from typing import TypeVar

import attrs
import msgspec

from syswatch.base.classes import define, frozen
from syswatch.codec.frames import body_of, encode
from syswatch.model.activity import TRACKED_OBJECTS
from syswatch.model.delta import TRACKED_PROCESSES, Delta, Span
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import ProcessTally
from syswatch.model.threads import TRACKED_THREADS, ThreadTally

# A tracer describes objects again once it knows more than that, so those are all in use.
MOST_OBJECTS = 2 * TRACKED_OBJECTS

T = TypeVar("T")


@frozen
class _Thread:
    pid: int = 0
    comm: str = ""
    has_ended: bool = False


@frozen
class _Process:
    parent: int = 0
    comm: str = ""
    ending: str = ""


@frozen
class _Named:
    """The parts of a delta that name something, and its time."""

    span: Span | None = None
    objects: Mapping[int, ObjectInfo] = attrs.field(factory=dict)
    threads: Mapping[int, _Thread] = attrs.field(factory=dict)
    processes: Mapping[int, _Process] = attrs.field(factory=dict)


@define
class Names:
    """The names of what has not ended, those that were mentioned last at the end."""

    _objects: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _threads: dict[int, ThreadTally] = attrs.field(factory=dict, init=False)
    _processes: dict[int, ProcessTally] = attrs.field(factory=dict, init=False)
    _last_ns: int = attrs.field(default=0, init=False)

    def add(self, frame: bytes) -> None:
        """Add what a delta names, and forget what it reports to have ended."""
        named = msgspec.msgpack.decode(body_of(frame), type=_Named)
        if named.span is not None:
            self._last_ns = max(self._last_ns, named.span.last_ns)
        for number, info in named.objects.items():
            former = self._objects.pop(number, None)
            self._objects[number] = info if former is None else former + info
        for tid, thread in named.threads.items():
            known = self._threads.pop(tid, ThreadTally())
            if not thread.has_ended:
                self._threads[tid] = known + ThreadTally(thread.pid, thread.comm)
        for pid, process in named.processes.items():
            former_process = self._processes.pop(pid, ProcessTally())
            if not process.ending:
                named_process = ProcessTally(process.parent, process.comm)
                self._processes[pid] = former_process + named_process

    def frame(self) -> bytes:
        """Return a delta that has the names and nothing else."""
        span = Span(self._last_ns, self._last_ns) if self._last_ns else None
        return encode(
            Delta(
                objects=_newest(self._objects, MOST_OBJECTS),
                threads=_newest(self._threads, TRACKED_THREADS),
                processes=_newest(self._processes, TRACKED_PROCESSES),
                span=span,
            )
        )


def _newest(named: dict[int, T], most: int) -> dict[int, T]:
    return dict(list(named.items())[-most:])
