"""
The watcher: a process that traces the one that has started it, on request.

It is not a child of that process, which could otherwise see it: as a child that has ended, or
among its descendants.  It ends when the process does, or closes the connection.
"""

import gc
import os
import socket
import sys
import time
from collections.abc import Sequence
from importlib import import_module

import attrs

from syswatch.base.classes import define
from syswatch.codec.frames import encode
from syswatch.model.backends import AUTO, EBPF
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended, Failed

from .messages import Begin, End, Hello, Ready, Refused, Reply, Request, Sums, receive_request, send
from .sums import BlockSums
from .tracing import Tracing, difference, readable

_OUTPUT = 2
# A tracer that costs the process little is kept for the next block; starting it costs more.
_KEPT = frozenset({EBPF.name})
_KEPT_S = 2.0
# Tracers are forked, so that they share what is imported here.
_SHARED = (
    "syswatch.tracer.driver",
    "syswatch.tracer.ebpf.backend",
    "syswatch.tracer.ptrace.backend",
)
_ENDED = "the tracer ended unexpectedly, so the calls of this block are not known"


@define
class Watcher:
    """Serves one process."""

    _pid: int
    _connection: socket.socket
    # Readable when the process has ended: its children may have the connection, too.
    _pidfd: int
    _tracing: Tracing | None = attrs.field(default=None, init=False)
    _sums: dict[int, BlockSums] = attrs.field(factory=dict, init=False)
    # What was missing from the calls when each block began.
    _lost: dict[int, Ledger] = attrs.field(factory=dict, init=False)
    # When the last block ended.
    _idle_s: float = attrs.field(factory=time.monotonic, init=False)

    def serve(self) -> None:
        """Answer requests until the process ends."""
        while True:
            pipes = self._tracing.pipes if self._tracing else frozenset[int]()
            waiting = [self._connection.fileno(), self._pidfd, *pipes]
            ready = readable(waiting, self._rest_s())
            if self._pidfd in ready:
                break
            if self._connection.fileno() in ready:
                request = receive_request(self._connection)
                if request is None:
                    break
                send(self._connection, self._answer(request))
            elif self._tracing is not None:
                for pipe in ready:
                    self._tracing.receive(pipe)
            if self._rest_s() == 0:
                self._stop()
        self._stop()

    def _rest_s(self) -> float | None:
        """Return for how long the tracer is kept if there is no block; None for ever."""
        if self._tracing is None or self._sums:
            return None
        return max(self._idle_s + _KEPT_S - time.monotonic(), 0)

    def _stop(self) -> Ended | Failed | None:
        """Detach the tracer, if there is one; return its last message."""
        tracing, self._tracing = self._tracing, None
        if tracing is None:
            return None
        tracing.stop()
        return tracing.ended

    def _answer(self, request: Request) -> Reply:
        return self._begin(request) if isinstance(request, Begin) else self._end(request)

    def _begin(self, request: Begin) -> Reply:
        tracing = self._traced(request.backend)
        if tracing.started is None:
            ended = self._stop()
            self._sums.clear()
            if isinstance(ended, Failed):
                return Refused(ended.message, is_permission=True)
            return Refused(_ENDED)
        # If the process is the first of its container, the watcher is its child after all.
        sums = BlockSums(frozenset({os.getpid(), tracing.pid}))
        self._sums[request.token], self._lost[request.token] = sums, tracing.lost
        tracing.stream.begin(request.token, sums.count)
        return Ready(tracing.started.backend)

    def _traced(self, backend: str) -> Tracing:
        """Return the tracer that is running, or else a new one."""
        tracing = self._tracing
        if tracing is not None and not self._sums:
            other = tracing.started and backend not in (AUTO, tracing.started.backend)
            if other or not tracing.is_running:
                self._stop()
                tracing = None
        if tracing is None:
            os.ftruncate(_OUTPUT, 0)
            close = (self._connection.fileno(), self._pidfd)
            tracing = self._tracing = Tracing.start(self._pid, backend, close)
            tracing.await_start()
            if tracing.started is not None:
                # What it has printed is not why it ends later.
                os.ftruncate(_OUTPUT, 0)
        return tracing

    def _end(self, request: End) -> Reply:
        tracing, sums = self._tracing, self._sums.pop(request.token, None)
        if tracing is None or sums is None or tracing.started is None:
            return Refused(_ENDED)
        if self._sums or tracing.started.backend in _KEPT:
            tracing.await_report()
            self._idle_s = time.monotonic()
        else:
            self._stop()
        is_whole = tracing.stream.end(request.token)
        lost = difference(tracing.lost, self._lost.pop(request.token))
        if not is_whole and not lost.lost_events:
            # Its calls have not arrived, and it cannot tell any more how many there were.
            self._stop()
            return Refused(_ENDED)
        delta = sums.delta(tracing.objects, tracing.processes, frozenset(request.without_threads))
        return Sums(encode(attrs.evolve(delta, ledger=delta.ledger + lost)), is_whole)


def main(arguments: Sequence[str]) -> None:
    """Serve the process that has started this one: `PID CONNECTION`."""
    pid, descriptor = map(int, arguments)
    os.chdir("/")
    os.set_inheritable(descriptor, False)  # noqa: FBT003  it has no name for it
    connection = socket.socket(fileno=descriptor)
    send(connection, Hello(os.getpid()))
    pidfd = os.pidfd_open(pid)
    for module in _SHARED:
        import_module(module)
    gc.freeze()
    Watcher(pid, connection, pidfd).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
