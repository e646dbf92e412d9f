"""
Starting a command so that nothing of it is missed.

The new process looks for the command and then waits until the tracer traces it, so that a mistyped
command is an error before anything is traced.  If the tracer ends, the process does as well.  It
reports errors through a pipe that a successful execve closes.
"""

import contextlib
import errno
import os
import pwd
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from syswatch.base.text import inert
from syswatch.machine.environment import given_environment
from syswatch.model.messages import RunCommand

NOT_FOUND = 127
NOT_EXECUTABLE = 126
_GO = b"."
_READY = b"."
# The interpreter ignores these from its own start on; a command must not inherit that.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class LaunchError(Exception):
    """The command cannot be started; the message is one sentence for the user."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.exit_status = exit_status


@attrs.frozen
class User:
    """Whom the command runs as."""

    name: str
    uid: int
    gid: int


@attrs.define
class Launch:
    """A process that waits to become the command."""

    pid: int
    _gate: int
    _trouble: int

    def go(self) -> None:
        """Open the gate."""
        # Somebody may have killed the process that waits there.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._gate, _GO)
        os.close(self._gate)

    def abandon(self) -> None:
        """End the process, which will not become the command."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def close(self) -> None:
        """Close the pipe of a process that has become the command."""
        os.close(self._trouble)

    def trouble(self) -> LaunchError | None:
        """Return, once the process has ended, why it did not become the command."""
        report = _read_to_end(self._trouble)
        return _parse_trouble(report) if report else None


def find_user(name: str) -> User | None:
    """Look a user up; None when no other user is asked for."""
    if not name:
        return None
    if os.geteuid() != 0:
        raise LaunchError(f"only root can run a command as another user ({name})", 1)
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise LaunchError(f"there is no user named {name}", 2) from None
    return User(entry.pw_name, entry.pw_uid, entry.pw_gid)


def launch(
    job: RunCommand, dispositions: Mapping[int, object], at_last: Callable[[], None] = lambda: None
) -> Launch:
    """
    Start a process that waits; `dispositions` are the signal handlers to give it.

    `at_last` is called in it before it gives up its rights and becomes the command.  Raises a
    LaunchError if the command is not there or must not be executed.
    """
    user = find_user(job.user)
    gate_out, gate_in = os.pipe()
    trouble_out, trouble_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            # Whatever else the tracer has opened closes itself at the execve, as these do.
            os.close(gate_in)
            _reset_signals(dispositions)
            environment = {**given_environment(), **job.environment}
            path = _locate(job, environment)
            os.write(trouble_in, _READY)
            if os.read(gate_out, 1) != _GO:
                os._exit(NOT_EXECUTABLE)  # Nobody is left to trace it, or to tell.
            at_last()
            _give_up_rights(user)
            os.execve(path, job.argv, environment)  # noqa: S606  no shell is wanted
        except BaseException as error:  # noqa: BLE001  nothing may return into the tracer's code
            _say_and_end(job, error, trouble_in)
    os.close(gate_out)
    os.close(trouble_in)
    # A pipe that is empty at its end belongs to a process that was killed: whoever waits for it
    # learns that.
    answer = os.read(trouble_out, len(_READY))
    if answer not in (_READY, b""):
        os.close(gate_in)
        os.waitpid(pid, 0)
        raise _parse_trouble(answer + _read_to_end(trouble_out))
    return Launch(pid, gate_in, trouble_out)


def _read_to_end(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def _parse_trouble(report: bytes) -> LaunchError:
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


def _give_up_rights(user: User | None) -> None:
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


def _say_and_end(job: RunCommand, error: BaseException, trouble: int) -> None:
    status, message = _explain(job.argv, error)
    try:
        os.write(trouble, f"{status} {inert(message)}".encode())
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
