"""
The standard streams while the UI owns the terminal.

Descriptors 0 to 2 of this process are replaced, so that nothing else can write over the screen: no
log line, no traceback, not the command.  The command reads from /dev/null and writes both outputs
into one pipe, which keeps their order.  What syswatch itself writes goes to a temporary file, not
into that pipe: it would block on a pipe that it has to empty.  In the end the descriptors are
restored and everything is printed.  Redirected streams are left alone.  The restorer holds the
pipe as well, for a command that is still running after syswatch.
"""

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress
from tempfile import TemporaryFile
from typing import BinaryIO

import attrs
from twisted.internet.interfaces import IReactorFDSet, IReadDescriptor
from twisted.python.failure import Failure
from zope.interface import implementer

from syswatch.base.streams import write_all

from .captured_output import CapturedOutput
from .restorer_process import RestorerProcess

_IN, _OUT, _ERR = 0, 1, 2
_BLOCK = 1 << 16
_PIPE_BYTES = 1 << 20


@attrs.define(slots=False, eq=False)
class RedirectedStdio:
    """The redirected streams; `child_fds` maps descriptors of a child to those to give it."""

    keyboard: int
    screen: int
    child_fds: Mapping[int, int]
    output: CapturedOutput
    _reactor: IReactorFDSet
    _saved: Mapping[int, int]
    _messages: BinaryIO
    _reader: "_PipeReader"
    _restorer: RestorerProcess
    _child_ends: tuple[int, ...]

    @classmethod
    def redirect(cls, reactor: IReactorFDSet) -> "RedirectedStdio":
        """Redirect the streams that are the terminal."""
        redirected = [_IN, _OUT, *([_ERR] if _same_terminal(_OUT, _ERR) else [])]
        saved = {descriptor: os.dup(descriptor) for descriptor in redirected}
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        read_end, write_end = os.pipe()
        with suppress(OSError):  # The user's limit for pipes may be reached.
            fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        messages = TemporaryFile(buffering=0)  # noqa: SIM115  it stays open
        output = CapturedOutput()
        # An error up to here is still printed on the terminal.
        files = (output.fileno(), messages.fileno())
        restorer = RestorerProcess.start(saved[_OUT], read_end, files)
        for descriptor in redirected:
            os.dup2(null if descriptor == _IN else messages.fileno(), descriptor)
        reader = _PipeReader(read_end, output)
        reactor.addReader(reader)
        error = write_end if _ERR in saved else _ERR
        return cls(
            keyboard=saved[_IN],
            screen=saved[_OUT],
            child_fds={_IN: null, _OUT: write_end, _ERR: error},
            output=output,
            reactor=reactor,
            saved=saved,
            messages=messages,
            reader=reader,
            restorer=restorer,
            child_ends=(null, write_end),
        )

    def child_started(self) -> None:
        """Close the child's ends here: the pipe must end when the last child closes it."""
        ends, self._child_ends = self._child_ends, ()
        for descriptor in ends:
            os.close(descriptor)

    def restore(self) -> None:
        """Restore the streams and print what was held back; pass on output from now on."""
        if self._reader.passes_on_to is not None:
            return
        for descriptor, original in self._saved.items():
            os.dup2(original, descriptor)
        self._restorer.report_restored()
        self._reader.drain()
        self.output.print_to(_OUT)
        self._reader.passes_on_to = _OUT
        self._print_messages()

    def close(self) -> None:
        """Restore the streams, pass on what is in the pipe, and stop reading it."""
        self.restore()
        self._reader.drain()
        self._reactor.removeReader(self._reader)
        self._reader.close()
        self._restorer.release()
        self.child_started()
        for descriptor in self._saved.values():
            os.close(descriptor)
        self._saved = {}

    def _print_messages(self) -> None:
        self._messages.seek(0)
        text = self._messages.read()
        if dropped := self.output.dropped:
            text += f"syswatch: {dropped:,} bytes of the command's output were discarded\n".encode()
        with suppress(OSError):
            write_all(_ERR, text)
        self._messages.truncate(0)
        self._messages.close()


@implementer(IReadDescriptor)
@attrs.define(slots=False, eq=False)
class _PipeReader:
    """Reads the pipe, and captures the output or passes it on."""

    _descriptor: int
    _output: CapturedOutput
    passes_on_to: int | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        os.set_blocking(self._descriptor, False)

    def fileno(self) -> int:
        return self._descriptor

    def logPrefix(self) -> str:
        return "output"

    def doRead(self) -> Failure | None:
        """Read one block; report the end of the pipe to the reactor."""
        from twisted.internet.main import CONNECTION_DONE

        return None if self._read_block() else Failure(CONNECTION_DONE)

    def connectionLost(self, reason: Failure) -> None:
        """Leave the descriptor open until `close`: closed twice, it may be another file's."""

    def drain(self) -> None:
        """Read what is in the pipe; bounded, because the command may go on writing."""
        for _ in range(_PIPE_BYTES // _BLOCK * 4):
            if not self._read_block(if_empty=False):
                return

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _read_block(self, *, if_empty: bool = True) -> bool:
        """Return False at the end of the pipe, and `if_empty` when it is empty."""
        try:
            data = os.read(self._descriptor, _BLOCK)
        except BlockingIOError:
            return if_empty
        if self.passes_on_to is None:
            self._output.add(data)
        else:
            with suppress(OSError):
                write_all(self.passes_on_to, data)
        return bool(data)


def _same_terminal(one: int, other: int) -> bool:
    try:
        return os.isatty(other) and os.fstat(one).st_rdev == os.fstat(other).st_rdev
    except OSError:
        return False
