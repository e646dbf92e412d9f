"""Running a command as `subprocess.run` does, and seeing its system calls."""

import errno
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import write_all
from syswatch.codec.frames import Decoder, Message, encode
from syswatch.model.backends import AUTO
from syswatch.model.delta import Delta
from syswatch.model.messages import (
    Deliver,
    Detach,
    Ended,
    Failed,
    RunCommand,
    Started,
    TraceOptions,
)

from .block import check_backend, is_open
from .errors import NotPermittedError, WatchError
from .isolated import command
from .seen import Seen

_TRACER = "syswatch.tracer"
_PART = 1 << 20
# How a shell reports that a command does not exist; 126 means that it cannot be executed.
_NOT_FOUND = 127


@define(eq=False, slots=False)
class Completed(Seen):
    """A command that has ended: its calls, and what `subprocess.CompletedProcess` has."""

    args: Sequence[str] = ()
    # The exit status; negated, the signal that has killed it.
    returncode: int = 0
    stdout: Any = None
    stderr: Any = None

    def check_returncode(self) -> None:
        """Raise a CalledProcessError if the exit status is not 0."""
        if self.returncode:
            raise subprocess.CalledProcessError(
                self.returncode, list(self.args), self.stdout, self.stderr
            )


@define
class _Tracer:
    """A tracer that runs a command: a child with the streams that the command inherits."""

    _process: "subprocess.Popen[Any]"
    _control_fd: int
    _reader: threading.Thread = attrs.field(init=False)
    _delta: Delta = attrs.field(factory=Delta, init=False)
    _backend: str = attrs.field(default="", init=False)
    _ended: Ended | Failed | None = attrs.field(default=None, init=False)

    @classmethod
    def start(cls, job: RunCommand, pass_fds: Sequence[int] = (), **options: Any) -> "_Tracer":
        """Start it with the options of Popen."""
        frames, control = os.pipe(), os.pipe()
        messages_fd = os.memfd_create("syswatch")
        theirs = (frames[1], control[0], messages_fd)
        try:
            process = subprocess.Popen(
                command(_TRACER, *map(str, theirs[:2]), f"--messages={messages_fd}"),
                pass_fds=(*pass_fds, *theirs),
                **options,
            )
        except BaseException:
            os.close(frames[0])
            os.close(control[1])
            raise
        finally:
            for number in theirs:
                os.close(number)
        tracer = cls(process, control[1])
        # It waits until its messages are read, also while the output of the command is read here.
        tracer._reader = threading.Thread(target=tracer._read, args=(frames[0],), daemon=True)
        tracer._reader.start()
        tracer._send(job)
        return tracer

    def communicate(self, data: Any, timeout: float | None, words: object) -> tuple[Any, Any]:
        """Wait for the end; return the output.  If that fails, the command is killed."""
        try:
            return self._process.communicate(data, timeout)
        except BaseException as error:
            if isinstance(error, subprocess.TimeoutExpired):
                error.cmd = words
            self._send(Deliver(signal.SIGKILL))
            # What it has started is not waited for.
            self._send(Detach())
            self._process.wait()
            raise
        finally:
            self._reader.join()
            os.close(self._control_fd)

    def completed(self, words: Sequence[str]) -> "Completed":
        """Return how the command ended; an error if it could not be run or traced."""
        match self._ended:
            case Ended(exit_code=int(code)):
                status = code
            case Ended(exit_signal=int(number)):
                status = -number
            case Failed(exit_status=126 | 127) as failed:
                kind = FileNotFoundError if failed.exit_status == _NOT_FOUND else PermissionError
                reason = errno.ENOENT if kind is FileNotFoundError else errno.EACCES
                raise kind(reason, os.strerror(reason), words[0])
            case Failed() as failed if not self._backend:
                raise NotPermittedError(failed.message)
            case Failed() as failed:
                raise WatchError(failed.message)
            case _:
                raise WatchError("the tracer of the command ended unexpectedly")
        completed = Completed(args=words, returncode=status)
        completed.finish(self._delta, self._backend)
        return completed

    def _send(self, message: Message) -> None:
        with suppress(BrokenPipeError):  # It has ended.
            write_all(self._control_fd, encode(message))

    def _read(self, descriptor: int) -> None:
        decoder = Decoder()
        with open(descriptor, "rb", buffering=0) as pipe:
            while data := pipe.read(_PART):
                decoder.receive_data(data)
                for message in decoder.events():
                    self._handle(message)

    def _handle(self, message: Message) -> None:
        match message:
            case Started():
                self._backend = message.backend
            case Delta():
                self._delta += message
            case Ended() | Failed():
                self._ended = message


def run(  # noqa: PLR0913  those of subprocess.run
    args: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    backend: str = AUTO,
    shell: bool = False,
    input: Any = None,  # noqa: A002
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    **others: Any,
) -> Completed:
    """
    Run a command, wait for its end, and return its system calls with its output and exit status.

    The other arguments are those of `subprocess.run`: `stdin`, `stdout`, `stderr`, `text`,
    `encoding`, `errors`.  The command is traced from its execve on, with all that it starts.
    """
    if is_open():
        raise WatchError(
            "run() traces a command itself, which a block does already: start it with subprocess"
            " within watch(), and its calls are among those of the block"
        )
    check_backend(backend)
    if "executable" in others:
        # It would replace the tracer.
        raise TypeError("run() does not support 'executable'")
    words = _words(args, shell=shell)
    if capture_output:
        others |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        others["stdin"] = subprocess.PIPE
    tracer = _Tracer.start(_job(words, backend), cwd=cwd, env=env, **others)
    stdout, stderr = tracer.communicate(input, timeout, words)
    completed = tracer.completed(words)
    completed.stdout, completed.stderr = stdout, stderr
    if check:
        completed.check_returncode()
    return completed


def _words(
    args: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, shell: bool
) -> tuple[str, ...]:
    """Return the words of a command; a single string is a program, or a script of the shell."""
    given = [args] if isinstance(args, str | os.PathLike) else args
    words = tuple(os.fspath(word) for word in given)
    return ("/bin/sh", "-c", *words) if shell else words


def _job(words: tuple[str, ...], backend: str) -> RunCommand:
    return RunCommand(words, options=TraceOptions(backend=backend, log_rate=0))
