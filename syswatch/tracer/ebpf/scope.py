"""What the program follows: named processes, a control group, or the whole machine."""

import os
from pathlib import Path
from typing import ClassVar, Protocol

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.machine.groups import pids_in
from syswatch.model.process import ProcessInfo
from syswatch.tracer.subject import describe

from . import layout
from .program import Program


class Scope(Protocol):
    """What is followed, and until when."""

    @property
    def number(self) -> int:
        """Return the number by which the program knows this kind."""

    def confine(self, program: Program) -> None:
        """Give the program what it needs to know about the scope."""

    def is_alive(self, program: Program) -> bool:
        """Return whether there may be more to observe."""

    def describe(self, main_pid: int) -> ProcessInfo:
        """Return a description of the target."""


@frozen
class NamedProcesses:
    """Processes that were named, and their descendants."""

    number: ClassVar[int] = layout.NAMED_ONLY

    def confine(self, program: Program) -> None:
        """Do nothing: each process is added by its PID."""

    def is_alive(self, program: Program) -> bool:
        """Return whether any of them is running."""
        return bool(program.totals.tasks)

    def describe(self, main_pid: int) -> ProcessInfo:
        """Return a description of the main process."""
        return describe(main_pid)


@define
class ControlGroup:
    """All processes that are in a control group or join it, as long as it exists."""

    folder: Path
    _descriptor: int
    # Kept, because finding it means reading the whole group.
    _first_pid: int = attrs.field(default=0, init=False)

    number: ClassVar[int] = layout.GROUP

    @classmethod
    def open(cls, folder: str) -> "ControlGroup":
        """Open a group by its folder; an OSError if it has been removed."""
        return cls(Path(folder), os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def confine(self, program: Program) -> None:
        """Give the program the descriptor of the group."""
        program.confine(self._descriptor)

    def is_alive(self, program: Program) -> bool:  # noqa: ARG002
        """Return whether the group still exists; a new one of the same name is another one."""
        try:
            return self.folder.stat().st_ino == os.fstat(self._descriptor).st_ino
        except OSError:
            return False

    def describe(self, main_pid: int) -> ProcessInfo:  # noqa: ARG002
        """Return a description of the oldest process, which usually started the others."""
        first = describe(self._first_pid)
        if not first.comm:
            self._first_pid = min(pids_in(self.folder), default=0)
            first = describe(self._first_pid)
        if not first.comm:
            first = ProcessInfo(comm=escape_text(self.folder.name))
        folder = escape_text(str(self.folder))
        return attrs.evolve(first, cmdline=f"{first.cmdline or '(empty)'} [in {folder}]")


@frozen
class WholeMachine:
    """All processes of the machine except syswatch."""

    number: ClassVar[int] = layout.EVERYBODY

    def confine(self, program: Program) -> None:
        """Do nothing: there is no limit."""

    def is_alive(self, program: Program) -> bool:  # noqa: ARG002
        """Return True: there is always more to observe."""
        return True

    def describe(self, main_pid: int) -> ProcessInfo:  # noqa: ARG002
        """Return a description that names the machine."""
        return ProcessInfo(
            comm="all", cmdline=f"all processes on {escape_text(os.uname().nodename)}"
        )
