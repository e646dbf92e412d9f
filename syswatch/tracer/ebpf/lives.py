"""When followed processes began and ended, and what they were started with."""

import ctypes
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Life
from syswatch.machine.proc import read_command_line
from syswatch.tracer.subject import as_command_line, cut_command_line

from . import event_layout, layout
from .maps import RECORDS
from .program import Program
from .table_memory import TableMemory

_SIZE = ctypes.sizeof(event_layout.CommandLine)
_TEXT_AT = event_layout.CommandLine.text.offset
_EMPTY = bytes(_SIZE)
_MOST_READ = 1 << 16


class _Known(NamedTuple):
    """What has been sent of a process."""

    life: Life
    # As the program has it; empty if it has run no other program in the trace.
    line: bytes


@define
class Lives:
    """Describes each process when it is found, replaces its program, or ends."""

    program: Program
    redact: Callable[[str], str]
    send: Callable[[Life], None]
    # Processes that are older existed before the trace.
    began_ns: int
    # Whether command lines may be read: they are the arguments of execve.
    reads: bool = True
    _known: dict[int, _Known] = attrs.field(factory=dict, init=False)
    _by_pid: dict[int, str] = attrs.field(factory=dict, init=False)
    _lines: TableMemory = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the command lines into memory."""
        self._lines = TableMemory(self.program, "command_lines", RECORDS * _SIZE)

    def note(self, number: int, record: layout.Process) -> None:
        """Note a record that has changed."""
        # Until the command has replaced the process that waits to become it, it has not begun.
        if not (record.born_ns and record.pid):
            return
        line = self._line(number)
        former = self._known.get(number)
        life = self._life(record, line, former)
        if former is None or life != former.life:
            self._known[number] = _Known(life, line)
            self._by_pid[life.pid] = life.command_line
            self.send(life)

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget processes that have ended, whose records will be reused."""
        for number in numbers:
            self._lines.write(number * _SIZE, _EMPTY)
            known = self._known.pop(number, None)
            if known is not None:
                self._by_pid.pop(known.life.pid, None)

    def _life(self, record: layout.Process, line: bytes, former: _Known | None) -> Life:
        clock_ns = self.program.totals.clock_ns
        if former is None:
            before = record.born_ns < self.began_ns
            start_ns = None if before else record.born_ns + clock_ns
        else:
            start_ns = former.life.start_ns
        shown = former.life.command_line if former else ""
        if former is None or line != former.line:
            shown = self._shown(record, line)
        life = Life(
            record.pid, start_ns, record.parent, self.redact(escape_text(record.comm)), shown
        )
        if record.state != layout.ENDED:
            return life
        code = os.waitstatus_to_exitcode(record.ending & 0xFFFF)
        return life._replace(
            end_ns=record.ended_ns + clock_ns,
            exit_code=code if code >= 0 else None,
            exit_signal=-code if code < 0 else None,
        )

    def _line(self, number: int) -> bytes:
        at = number * _SIZE
        lines = self._lines.upto(at + _SIZE)
        line = event_layout.CommandLine.from_buffer(lines, at)
        begin = at + _TEXT_AT
        return lines[begin : begin + int(line.length)]

    def _shown(self, record: layout.Process, line: bytes) -> str:
        """Return a command line; a process that has not called execve has that of its parent."""
        if not self.reads:
            return ""
        if 0 < len(line) < event_layout.COMMAND_LINE:
            text = as_command_line(line)
        elif not line and record.parent in self._by_pid:
            return self._by_pid[record.parent]
        else:
            # A long one can only be read as a whole while the process exists.
            raw = read_command_line(record.pid, _MOST_READ)
            text = as_command_line(raw) if raw else as_command_line(line) + "..." * bool(line)
        return cut_command_line(self.redact(text))
