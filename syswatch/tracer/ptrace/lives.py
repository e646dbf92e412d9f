"""What is known of each traced process, for the recorder."""

from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Life
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.subject import command_line_of

from .threads import Process


@define
class Lives:
    """Sends when processes start, what they execute, and how they end."""

    pipe: EventPipe
    redact: Callable[[str], str]
    # The time of day.
    now_ns: Callable[[], int]
    # Whether command lines may be read: they are the arguments of execve.
    reads: bool = True
    # What was sent of those that have not ended.
    _known: dict[int, Life] = attrs.field(factory=dict, init=False)

    def begun(self, process: Process, *, is_new: bool) -> None:
        """Send that a process has started, or that it is traced from now on."""
        command, start_ns, line = self.redact(process.comm), None, ""
        if is_new:
            start_ns = self.now_ns()
            # Until it calls execve, it has the arguments of its parent.
            if process.parent in self._known:
                line = self._known[process.parent].command_line
        else:
            line = self._command_line(process)
        self._send(Life(process.pid, start_ns, process.parent, command, line))

    def described(self, process: Process) -> None:
        """Send the new name and the new arguments of a process."""
        life = self._known.get(process.pid)
        if life is not None:
            line = self._command_line(process)
            self._send(life._replace(command=self.redact(process.comm), command_line=line))

    def ended(self, pid: int, number: int, *, killed: bool) -> None:
        """Send that a process has ended, with its exit code or signal."""
        life = self._known.pop(pid, None)
        if life is not None:
            code, signal = (None, number) if killed else (number, None)
            self.pipe.add_life(
                life._replace(end_ns=self.now_ns(), exit_code=code, exit_signal=signal)
            )

    def _send(self, life: Life) -> None:
        self._known[life.pid] = life
        self.pipe.add_life(life)

    def _command_line(self, process: Process) -> str:
        return command_line_of(process.pid, self.redact) if self.reads else ""
