"""
The standard streams while the UI owns the terminal.

Descriptors 0 to 2 of this process are replaced, so that nothing else can write over the screen: no
log line, no traceback, not the command, which has other streams (`syswatch.service.child_streams`).
What syswatch itself writes goes to a temporary file, not into the pipe of these streams: it would
block on a pipe that it has to empty.  In the end the descriptors are restored and everything is
printed.  Redirected streams are left alone.  The restorer holds the
pipe as well, for a command that is still running after syswatch.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from tempfile import TemporaryFile
from typing import BinaryIO

import attrs
from twisted.internet.interfaces import IReactorFDSet, IReadDescriptor
from twisted.python.failure import Failure
from zope.interface import implementer

from syswatch.base.classes import define
from syswatch.base.streams import write_all
from syswatch.service.child_streams import PIPE_BYTES, STDERR, STDIN, STDOUT, ChildStreams

from .captured_output import CapturedOutput
from .restorer_process import RestorerProcess

_BLOCK = 1 << 16


@define(slots=False, eq=False)
class RedirectedStdio:
    """The redirected streams of this process, and those of its child."""

    keyboard: int
    screen: int
    streams: ChildStreams
    output: CapturedOutput
    _reactor: IReactorFDSet
    _saved: Mapping[int, int]
    _messages: BinaryIO
    _reader: "_PipeReader"
    _restorer: RestorerProcess

    @classmethod
    def redirect(cls, reactor: IReactorFDSet, streams: ChildStreams) -> "RedirectedStdio":
        """Redirect the streams that are the terminal."""
        redirected = [STDIN, STDOUT, *([STDERR] if streams.takes_errors else [])]
        saved = {descriptor: os.dup(descriptor) for descriptor in redirected}
        messages = TemporaryFile(buffering=0)  # noqa: SIM115  it stays open
        output = CapturedOutput()
        # An error up to here is still printed on the terminal.
        files = (output.fileno(), messages.fileno())
        restorer = RestorerProcess.start(saved[STDOUT], streams.output_fd, files)
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        for descriptor in redirected:
            os.dup2(null if descriptor == STDIN else messages.fileno(), descriptor)
        os.close(null)
        reader = _PipeReader(streams.output_fd, output)
        reactor.addReader(reader)
        return cls(
            keyboard=saved[STDIN],
            screen=saved[STDOUT],
            streams=streams,
            output=output,
            reactor=reactor,
            saved=saved,
            messages=messages,
            reader=reader,
            restorer=restorer,
        )

    def restore(self) -> None:
        """Restore the streams and print what was held back; pass on output from now on."""
        if self._reader.passes_on_to is not None:
            return
        for descriptor, original in self._saved.items():
            os.dup2(original, descriptor)
        self._restorer.report_restored()
        self._reader.drain()
        self.output.print_to(STDOUT)
        self._reader.passes_on_to = STDOUT
        self._print_messages()

    def close(self) -> None:
        """Restore the streams, pass on what is in the pipe, and stop reading it."""
        self.restore()
        self._reader.drain()
        self._reactor.removeReader(self._reader)
        self._reader.close()
        self._restorer.release()
        self.streams.child_started()
        for descriptor in self._saved.values():
            os.close(descriptor)
        self._saved = {}

    def _print_messages(self) -> None:
        self._messages.seek(0)
        text = self._messages.read()
        if dropped := self.output.dropped:
            text += f"syswatch: {dropped:,} bytes of the command's output were discarded\n".encode()
        with suppress(OSError):
            write_all(STDERR, text)
        self._messages.truncate(0)
        self._messages.close()


@implementer(IReadDescriptor)
@define(slots=False, eq=False)
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
        for _ in range(PIPE_BYTES // _BLOCK * 4):
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
