"""Who is watched: those who were named, everybody in a control group, or everybody."""

import os
from pathlib import Path
from typing import ClassVar, Protocol

import attrs

from syswatch.base.text import inert
from syswatch.machine.groups import pids_in
from syswatch.model.process import ProcessInfo
from syswatch.tracer.subject import describe

from . import layout
from .program import Program


class Scope(Protocol):
    """Whom the program follows, and until when."""

    @property
    def number(self) -> int:
        """Which kind this is, as the program is told."""

    def confine(self, program: Program) -> None:
        """Tell the program whom it is about."""

    def lives(self, program: Program) -> bool:
        """Say whether there may be more to see."""

    def introduce(self, main_pid: int) -> ProcessInfo:
        """Say who is watched."""


@attrs.frozen
class Named:
    """Processes that were named, and what they start."""

    number: ClassVar[int] = layout.NAMED_ONLY

    def confine(self, program: Program) -> None:
        """Do nothing: each process is named on its own."""

    def lives(self, program: Program) -> bool:
        """Say whether any of them runs."""
        return bool(program.totals.tasks)

    def introduce(self, main_pid: int) -> ProcessInfo:
        """Say who the main process is."""
        return describe(main_pid)


@attrs.define
class Group:
    """Everybody who is in a control group while it exists, and who joins it."""

    folder: Path
    _descriptor: int
    # To look for it each time would mean to walk through the whole group.
    _first_pid: int = attrs.field(default=0, init=False)

    number: ClassVar[int] = layout.GROUP

    @classmethod
    def at(cls, folder: str) -> "Group":
        """Take a group by its folder; an OSError if it has gone."""
        return cls(Path(folder), os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def confine(self, program: Program) -> None:
        """Tell the program which group it is."""
        program.confine(self._descriptor)

    def lives(self, program: Program) -> bool:  # noqa: ARG002
        """Say whether the group has not been removed; another of that name is another group."""
        try:
            return self.folder.stat().st_ino == os.fstat(self._descriptor).st_ino
        except OSError:
            return False

    def introduce(self, main_pid: int) -> ProcessInfo:  # noqa: ARG002
        """Say who was there first, who mostly started the others."""
        first = describe(self._first_pid)
        if not first.comm:
            self._first_pid = min(pids_in(self.folder), default=0)
            first = describe(self._first_pid)
        if not first.comm:
            first = ProcessInfo(comm=inert(self.folder.name))
        folder = inert(str(self.folder))
        return attrs.evolve(first, cmdline=f"{first.cmdline or 'nobody'} [in {folder}]")


@attrs.frozen
class Everybody:
    """The whole machine, but for us."""

    number: ClassVar[int] = layout.EVERYBODY

    def confine(self, program: Program) -> None:
        """Do nothing: there is no limit."""

    def lives(self, program: Program) -> bool:  # noqa: ARG002
        """Say that there is always more to see."""
        return True

    def introduce(self, main_pid: int) -> ProcessInfo:  # noqa: ARG002
        """Say that it is nobody in particular."""
        return ProcessInfo(comm="all", cmdline=f"every process of {inert(os.uname().nodename)}")
