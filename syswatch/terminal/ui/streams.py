"""
Who has the terminal while the UI is on it.

Descriptors 0 to 2 of this process are moved out of the way, so that nothing can write over the
screen: not a log line, not a traceback, not the command.  What the command reads is /dev/null,
and what it writes goes into one pipe, so that its two outputs keep their order.  Our own words go
to a file without a name, never into that pipe: we are the ones who empty it.  In the end
everything is put back and printed.  What was redirected is left alone.  A command that goes on
when we have left, or are killed, keeps its pipe: a keeper holds it, too.
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

from .output import Output
from .restoring import Keeping

_IN, _OUT, _ERR = 0, 1, 2
_BLOCK = 1 << 16
_PIPE_BYTES = 1 << 20


@attrs.define(slots=False, eq=False)
class Streams:
    """The terminal, borrowed; `for_child` says which descriptor a child gets as which."""

    keyboard: int
    screen: int
    for_child: Mapping[int, int]
    output: Output
    _reactor: IReactorFDSet
    _saved: Mapping[int, int]
    _words: BinaryIO
    _reader: "_Reader"
    _keeping: Keeping
    _child_ends: tuple[int, ...]

    @classmethod
    def borrow(cls, reactor: IReactorFDSet) -> "Streams":
        """Take the terminal from everybody."""
        taken = [_IN, _OUT, *([_ERR] if _same_terminal(_OUT, _ERR) else [])]
        saved = {descriptor: os.dup(descriptor) for descriptor in taken}
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        readable, writable = os.pipe()
        with suppress(OSError):  # A user may have too many pipes already.
            fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        words = TemporaryFile(buffering=0)  # noqa: SIM115  it stays open
        output = Output()
        # Whatever goes wrong until here is told on a terminal that nobody has taken yet.
        keeping = Keeping.begin(saved[_OUT], readable, (output.fileno(), words.fileno()))
        for descriptor in taken:
            os.dup2(nothing if descriptor == _IN else words.fileno(), descriptor)
        reader = _Reader(readable, output)
        reactor.addReader(reader)
        error = writable if _ERR in saved else _ERR
        return cls(
            keyboard=saved[_IN],
            screen=saved[_OUT],
            for_child={_IN: nothing, _OUT: writable, _ERR: error},
            output=output,
            reactor=reactor,
            saved=saved,
            words=words,
            reader=reader,
            keeping=keeping,
            child_ends=(nothing, writable),
        )

    def child_started(self) -> None:
        """Keep no end of the pipe that is not ours: it ends with the last one who writes."""
        ends, self._child_ends = self._child_ends, ()
        for descriptor in ends:
            os.close(descriptor)

    def give_back(self) -> None:
        """Put everything back, print what was held, and hold nothing from now on."""
        if self._reader.passes_on_to is not None:
            return
        for descriptor, original in self._saved.items():
            os.dup2(original, descriptor)
        self._keeping.is_whole()
        self._reader.empty()
        self.output.print_to(_OUT)
        self._reader.passes_on_to = _OUT
        self._say_what_was_held()

    def close(self) -> None:
        """Pass on what is there, and listen no more."""
        self.give_back()
        self._reader.empty()
        self._reactor.removeReader(self._reader)
        self._reader.close()
        self._keeping.leave()
        self.child_started()
        for descriptor in self._saved.values():
            os.close(descriptor)
        self._saved = {}

    def _say_what_was_held(self) -> None:
        self._words.seek(0)
        text = self._words.read()
        if self.output.dropped:
            text += f"syswatch: {self.output.dropped:,} bytes of output had no room\n".encode()
        with suppress(OSError):
            os.write(_ERR, text)
        self._words.truncate(0)
        self._words.close()


@implementer(IReadDescriptor)
@attrs.define(slots=False, eq=False)
class _Reader:
    """Empties the pipe into the output, or passes on what comes."""

    _descriptor: int
    _output: Output
    passes_on_to: int | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        os.set_blocking(self._descriptor, False)

    def fileno(self) -> int:
        return self._descriptor

    def logPrefix(self) -> str:
        return "output"

    def doRead(self) -> Failure | None:
        """Take one block; an end is an end for the reactor, too."""
        from twisted.internet.main import CONNECTION_DONE

        return None if self._take() else Failure(CONNECTION_DONE)

    def connectionLost(self, reason: Failure) -> None:
        """Wait for `close`: a descriptor that is closed twice may be somebody else's."""

    def empty(self) -> None:
        """Take what is there, and no more than a screen can have missed."""
        for _ in range(_PIPE_BYTES // _BLOCK * 4):
            if not self._take(otherwise=False):
                return

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _take(self, *, otherwise: bool = True) -> bool:
        """Take one block; say False at the end, and `otherwise` where nothing waits."""
        try:
            data = os.read(self._descriptor, _BLOCK)
        except BlockingIOError:
            return otherwise
        if self.passes_on_to is None:
            self._output.add(data)
        else:
            with suppress(OSError):
                os.write(self.passes_on_to, data)
        return bool(data)


def _same_terminal(one: int, other: int) -> bool:
    try:
        return os.isatty(other) and os.fstat(one).st_rdev == os.fstat(other).st_rdev
    except OSError:
        return False
