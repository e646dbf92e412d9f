"""
Watching a block of this process: all its threads, and the processes that it starts.

What surrounds the block is not in it: the request to trace comes before the mark of its beginning,
and the wait for the numbers after the mark of its end.
"""

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType

import attrs

from syswatch.base.classes import define
from syswatch.codec.frames import decoded
from syswatch.model.backends import AUTO, BACKEND_CHOICES
from syswatch.model.delta import Delta

from .connection import Connection
from .errors import NotPermittedError, WatchError
from .marks import Edge, mark
from .messages import Begin, End, Ready, Refused, Reply, Request, Sums
from .seen import Seen

_NO_MARK = "the call that marks the beginning or the end of the block was lost"


@contextmanager
def paused() -> Iterator[None]:
    """Mark the calls of this thread as those of this package: they are in no block."""
    mark(0, Edge.PAUSE)()
    try:
        yield
    finally:
        mark(0, Edge.RESUME)()


class _Shared:
    """The watcher of this process, which all its threads use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: Connection | None = None
        self.tokens = itertools.count(1)
        # The tokens of the blocks that have begun and not ended.
        self.open: set[int] = set()

    def ask(self, request: Request) -> Reply:
        """Send a request; a connection that has failed is not used again."""
        with self.lock:
            try:
                if self.connection is None:
                    self.connection = Connection.open()
                return self.connection.ask(request)
            except BaseException:
                self._forget()
                raise

    def _forget(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()

    def start_anew(self) -> None:
        """Forget the watcher of the parent, in a process that has been forked."""
        self.lock = threading.Lock()
        self.open.clear()
        self._forget()


_shared = _Shared()
os.register_at_fork(after_in_child=_shared.start_anew)


@define(eq=False)
class Watch:
    """A block, as a context manager that can be used once."""

    backend: str = AUTO
    # The IDs of threads whose calls do not count.
    without_threads: tuple[int, ...] = ()
    _seen: Seen = attrs.field(factory=Seen, init=False)
    _used: str = attrs.field(default="", init=False)
    _pid: int = attrs.field(default=0, init=False)
    _token: int = attrs.field(default=0, init=False)
    _end: Callable[[], object] = attrs.field(init=False)

    def __enter__(self) -> Seen:
        """Trace this process, and mark where the block begins."""
        with paused():
            begin, seen = self._begin(), self._seen
        begin()
        return seen

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Mark where the block ends, and wait for the numbers."""
        self._end()
        with paused():
            _shared.open.discard(self._token)
            if os.getpid() != self._pid:
                return  # A child that has left the block, too.
            try:
                self._finish()
            except WatchError:
                # An error of the block itself says more.
                if error is None:
                    raise

    def _begin(self) -> Callable[[], object]:
        """Have this process traced; return what marks the beginning."""
        if self._token:
            raise WatchError("a block can be watched once; call watch() for each block")
        self._pid, self._token = os.getpid(), next(_shared.tokens)
        begin, self._end = mark(self._token, Edge.BEGIN), mark(self._token, Edge.END)
        reply = _shared.ask(Begin(self._token, self.backend))
        if isinstance(reply, Refused):
            raise (NotPermittedError if reply.is_permission else WatchError)(reply.message)
        if isinstance(reply, Ready):
            self._used = reply.backend
        _shared.open.add(self._token)
        return begin

    def _finish(self) -> None:
        reply = _shared.ask(End(self._token, self.without_threads))
        if isinstance(reply, Refused):
            raise WatchError(reply.message)
        if isinstance(reply, Sums):
            delta = decoded(reply.delta)
            if isinstance(delta, Delta):
                doubts = () if reply.is_whole else (_NO_MARK,)
                self._seen.finish(delta, self._used, doubts)


def watch(*, backend: str = AUTO, without_threads: Iterable[int] = ()) -> Watch:
    """
    Return a context manager that watches its block.

    The block holds all calls of this process and of the processes that it starts, which return
    after the block has begun and before it ends.  `backend` is one of `auto`, `ebpf` and `ptrace`;
    `without_threads` are the native IDs of threads that are not part of what is watched.
    """
    check_backend(backend)
    return Watch(backend, tuple(without_threads))


def check_backend(name: str) -> None:
    """Raise a WatchError unless there is a backend of this name, or it is `auto`."""
    if name not in BACKEND_CHOICES:
        raise WatchError(f"invalid backend {name!r} (choose from {', '.join(BACKEND_CHOICES)})")


def is_open() -> bool:
    """Return whether a block of this process is being watched."""
    return bool(_shared.open)
