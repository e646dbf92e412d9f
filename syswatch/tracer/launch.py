"""
Starting a command so that its first system call is traced.

The new process looks the command up and then waits until it is traced, so that a mistyped command
is an error before anything is traced.  If the tracer ends, the process ends, too.  It reports
errors through a pipe that a successful execve closes.
"""

import contextlib
import errno
import os
import pwd
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.machine.environment import given_environment
from syswatch.machine.traceable import become_traceable
from syswatch.model.messages import RunCommand

from .errors import InterruptedStartError, LaunchError

NOT_FOUND = 127
NOT_EXECUTABLE = 126
_GO = b"."
_READY = b"."
# The interpreter ignores these from its own start on; a command must not inherit that.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


@frozen
class User:
    """The user that the command runs as."""

    name: str
    uid: int
    gid: int


@define
class Launch:
    """A process that waits to become the command."""

    pid: int
    _release_fd: int
    _error_fd: int

    def release(self) -> None:
        """Let the process become the command."""
        # The waiting process may have been killed.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._release_fd, _GO)
        os.close(self._release_fd)

    def abandon(self) -> None:
        """Kill the process before it becomes the command."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def close(self) -> None:
        """Close the error pipe once the process has become the command."""
        os.close(self._error_fd)

    def read_error(self) -> LaunchError | None:
        """Wait for the execve or the end of the process; return why it failed, if it did."""
        report = _read_to_end(self._error_fd)
        return _parse_error(report) if report else None


def find_user(name: str) -> User | None:
    """Return the user of this name; None for an empty name."""
    if not name:
        return None
    if os.geteuid() != 0:
        raise LaunchError(f"only root can run a command as another user ({name})", 1)
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise LaunchError(f"no such user: {name}", 2) from None
    return User(entry.pw_name, entry.pw_uid, entry.pw_gid)


def launch(
    job: RunCommand,
    dispositions: Mapping[int, object],
    before_exec: Callable[[], None] = lambda: None,
    held_back: AbstractSet[int] = frozenset(),
) -> Launch:
    """
    Start a process that waits; `dispositions` are the signal handlers to give it.

    `before_exec` is called in it before it drops its privileges and becomes the command.  Signals
    that are held back reach the new process; one that came earlier, and that it does not ignore, is
    an InterruptedStartError.  A LaunchError means that the command does not exist or cannot be
    executed.
    """
    user = find_user(job.user)
    release_read, release_write = os.pipe()
    error_read, error_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            # All other descriptors of the tracer are closed by the execve, as these are.
            os.close(release_write)
            become_traceable()
            _reset_signals(dispositions)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, held_back)
            environment = {**given_environment(), **job.environment}
            path = _locate(job, environment)
            os.write(error_write, _READY)
            if os.read(release_read, 1) != _GO:
                os._exit(NOT_EXECUTABLE)  # The tracer has ended.
            before_exec()
            _drop_privileges(user)
            os.execve(path, job.argv, environment)  # noqa: S606  no shell is wanted
        except BaseException as error:  # noqa: BLE001  nothing may return into the tracer's code
            _report_and_exit(job, error, error_write)
    os.close(release_read)
    os.close(error_write)
    # An empty pipe at its end belongs to a process that was killed; waiting for it will show that.
    answer = os.read(error_read, len(_READY))
    if answer not in (_READY, b""):
        os.close(release_write)
        os.waitpid(pid, 0)
        raise _parse_error(answer + _read_to_end(error_read))
    waiting = Launch(pid, release_write, error_read)
    for number in held_back & signal.sigpending():
        if dispositions.get(number) is not signal.SIG_IGN:
            waiting.abandon()
            raise InterruptedStartError(number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, held_back)
    return waiting


def _read_to_end(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def _parse_error(report: bytes) -> LaunchError:
    status, _, message = report.decode().partition(" ")
    return LaunchError(message, int(status))


def _reset_signals(dispositions: Mapping[int, object]) -> None:
    for ignored in _IGNORED_BY_PYTHON:
        signal.signal(ignored, signal.SIG_DFL)
    for number, handler in dispositions.items():
        signal.signal(number, signal.SIG_IGN if handler is signal.SIG_IGN else signal.SIG_DFL)


def _locate(job: RunCommand, environment: Mapping[str, str]) -> str:
    """Change to the command's directory, and return the path to execute."""
    if job.cwd:
        os.chdir(job.cwd)
    path = _find(job.argv[0], environment.get("PATH", os.defpath))
    file = Path(path)
    if file.is_dir() or not os.access(file, os.X_OK):
        reason = errno.EACCES if file.exists() else errno.ENOENT
        raise OSError(reason, os.strerror(reason), path)
    return path


def _drop_privileges(user: User | None) -> None:
    if user is not None:
        os.initgroups(user.name, user.gid)
        os.setgid(user.gid)
        os.setuid(user.uid)


def _find(command: str, search_path: str) -> str:
    """Return what to execute: searched as a shell does, so that execve is called once."""
    if "/" in command:
        return command
    found = shutil.which(command, path=search_path)
    if found is None:
        unfit = shutil.which(command, os.F_OK, path=search_path)
        if unfit is not None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), unfit)
        raise FileNotFoundError(errno.ENOENT, "command not found", command)
    return found


def _report_and_exit(job: RunCommand, error: BaseException, error_fd: int) -> None:
    status, message = _explain(job.argv, error)
    try:
        os.write(error_fd, f"{status} {escape_text(message)}".encode())
    finally:
        os._exit(status)


def _explain(argv: Sequence[str], error: BaseException) -> tuple[int, str]:
    command = argv[0] if argv else ""
    match error:
        case FileNotFoundError(strerror="command not found"):
            return NOT_FOUND, f"{command}: command not found"
        case FileNotFoundError(filename=str(name)) if name != command:
            return NOT_EXECUTABLE, f"{name}: {error.strerror}"
        case FileNotFoundError():
            return NOT_FOUND, f"{command}: no such file, or the interpreter it names is missing"
        case OSError(strerror=str(reason)):
            return NOT_EXECUTABLE, f"{error.filename or command}: {reason}"
        case _:
            return NOT_EXECUTABLE, f"{command}: {error}"
