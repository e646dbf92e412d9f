"""Sends results from a worker process, while it makes the next ones."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from threading import Condition, Thread

import attrs

from syswatch.base.classes import define
from syswatch.codec.frames import decoded, encode
from syswatch.model.delta import Delta

# The limit for users without privileges.
_PIPE_BYTES = 1024 * 1024
# So much may wait to be received: the parts of a few seconds.
_MOST_WAITING = 16 * 1024 * 1024


def _reduced(delta: Delta) -> tuple[Callable[[bytes], object], tuple[bytes]]:
    return decoded, (encode(delta),)


# A delta has many small objects, each of which pickle would handle in Python.
ForkingPickler.register(Delta, _reduced)


@define(eq=False)
class PartSender:
    """
    Sends objects in a thread of its own.

    The process that receives them is busy with its own share of a log most of the time, and a pipe
    has room for few results: without the thread, one of the two processes would always wait.
    """

    _out: Connection
    _waiting: deque[memoryview] = attrs.field(factory=deque, init=False)
    _waiting_bytes: int = attrs.field(default=0, init=False)
    _is_complete: bool = attrs.field(default=False, init=False)
    # Whether the receiving end has been closed.
    _is_broken: bool = attrs.field(default=False, init=False)
    _changed: Condition = attrs.field(factory=Condition, init=False)
    _thread: Thread = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Start the thread, which ends with the process."""
        # The limit of a user with very many pipes may be reached.
        with suppress(OSError):
            fcntl(self._out.fileno(), F_SETPIPE_SZ, _PIPE_BYTES)
        self._thread = Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    def send(self, result: object) -> None:
        """Send an object as soon as possible; wait while too much has not been received."""
        pickled = ForkingPickler.dumps(result)
        with self._changed:
            self._changed.wait_for(lambda: self._waiting_bytes <= _MOST_WAITING or self._is_broken)
            if self._is_broken:
                raise BrokenPipeError
            self._waiting.append(pickled)
            self._waiting_bytes += len(pickled)
            self._changed.notify_all()

    def close(self) -> None:
        """Wait until everything has been received."""
        with self._changed:
            self._is_complete = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_complete)
                if not self._waiting:
                    return
                pickled = self._waiting.popleft()
            try:
                self._out.send_bytes(pickled)
            except OSError:
                with self._changed:
                    self._is_broken = True
                    self._changed.notify_all()
                return
            with self._changed:
                self._waiting_bytes -= len(pickled)
                self._changed.notify_all()
