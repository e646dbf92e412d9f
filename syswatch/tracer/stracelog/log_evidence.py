"""
What rules for calls are made of, from the arguments that strace prints.

A call whose arguments can't be read as numbers has no values, so that no rule is made for them.
strace shows a call by way of `socketcall` or `ipc`, which i386 has, as the call that is meant.
"""

import enum
import re
from collections.abc import Callable
from functools import cache
from signal import SIGSYS

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import executes
from syswatch.model.catalog import number_of as call_number
from syswatch.model.delta import Delta
from syswatch.model.evidence import (
    ANY_PROGRAM,
    NATIVE,
    TRACKED_EVIDENCE,
    EvidenceKey,
    EvidenceTally,
    add_evidence,
)
from syswatch.model.ledger import Ledger
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.tracer.naming import machine

from .arguments import split, string_text
from .grammar import (
    STRING,
    LoggedCall,
    ModeChange,
    ParsedLine,
    RefusedCall,
    ThreadEnd,
    UnfinishedCall,
)
from .log_symbols import number_of

_PATH = re.compile(rb"(?:[^,\"]+, )?(%s)" % STRING)
_NEW_NAME = re.compile(rb"PR_SET_NAME, (%s)" % STRING)
_CLONE_FLAGS = re.compile(rb"\bflags=([^,}]*)")
# Where strace writes its messages to standard error, a log in a file does not have them.
_ALSO_EXECUTED = {"x86_64": "i386", "aarch64": "arm"}
_CREATES = frozenset({"clone", "clone3", "fork", "vfork"})
# The kernel cuts the names of programs.
_LONGEST_PROGRAM = 15
# A damaged log may have any number of PIDs.
_MOST_PIDS = 1 << 17


class _Result(enum.Enum):
    """The result of a call, as far as it shows whether a filter has ended the caller."""

    # That of a call for which the process was ended.
    NUMBER = enum.auto()
    # That of a call for which the thread was ended, or in which it was.
    NONE = enum.auto()
    OTHER = enum.auto()


@define
class LogEvidence:
    """Counts each call once, in the order of the log."""

    redact: Callable[[str], str]
    fallback_pid: int
    _rows: dict[EvidenceKey, EvidenceTally] = attrs.field(factory=dict, init=False)
    # Of the processes whose architecture the log names, and of their children.
    _architectures: dict[int, str] = attrs.field(factory=dict, init=False)
    # Those whose architecture follows from a call that only it has; until they execute a program.
    _guessed: dict[int, bool] = attrs.field(factory=dict, init=False)
    _programs: dict[int, str] = attrs.field(factory=dict, init=False)
    # When the calls began whose second half is awaited.
    _begun: dict[int, int | None] = attrs.field(factory=dict, init=False)
    # The newest call of each thread: its row, when it began, and what its result says.
    _last: dict[int, tuple[EvidenceKey, int | None, _Result]] = attrs.field(
        factory=dict, init=False
    )
    # The processes of threads, as far as the log shows how they were created.
    _processes: dict[int, int] = attrs.field(factory=dict, init=False)
    # By process, threads that SIGSYS has ended in a call that did not return.
    _killed: dict[int, list[int]] = attrs.field(factory=dict, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many rows that they should be taken early."""
        return len(self._rows) > TRACKED_EVIDENCE

    def note_line(self, line: ParsedLine, at_ns: int | None = None) -> None:
        """Note the architecture of the following calls, and whether the last one was refused."""
        match line:
            case UnfinishedCall():
                self._note(self._begun, line.pid or self.fallback_pid, at_ns)
            case LoggedCall():
                self._begun.pop(line.pid or self.fallback_pid, None)
            case ModeChange():
                pid = line.pid or self.fallback_pid
                self._note(self._architectures, pid, line.architecture)
            case RefusedCall():
                self._settle(line.pid or self.fallback_pid, refused=True)
            case ThreadEnd():
                pid = line.pid or self.fallback_pid
                self._end(pid, self._last[pid][2] if pid in self._last else None, line.code)

    def add(self, call: LoggedCall, began_ns: int | None) -> None:
        """Count a call; it is settled whether it was refused when the next line of it is read."""
        pid = call.pid or self.fallback_pid
        began_ns = self._begun.pop(pid, began_ns)
        process = self._processes.get(pid, pid)
        self._settle(pid, refused=False)
        succeeded = call.returned and not call.errno
        if succeeded and executes(call.name):
            self._note(self._programs, process, self._program_of(call.args))
            if self._guessed.pop(pid, False):
                self._architectures.pop(pid, None)
        # The name of a process is that of its first thread.
        if succeeded and call.name == "prctl" and pid == process:
            self._rename(pid, call.args)
        architecture = self._architecture_of(call, pid)
        if succeeded and call.name in _CREATES and call.ret.isdigit():
            self._note_child(int(call.ret[:9]), call, pid, architecture)
        values = printed_values(call.name, call.args, architecture)
        program = self._programs.get(process, ANY_PROGRAM)
        key = EvidenceKey(call.name, values, architecture, program)
        result = _result(call, architecture)
        if result is _Result.OTHER:
            # The process has survived them, so the filter has ended these threads only.
            for killed in self._killed.pop(process, ()):
                self._settle(killed, refused=True)
        self._note(self._last, pid, (key, began_ns, result))

    def _note_child(self, child: int, call: LoggedCall, pid: int, architecture: str) -> None:
        """Note what a thread or process has of its creator."""
        process = self._processes.get(pid, pid)
        if b"CLONE_THREAD" in call.args:
            self._note(self._processes, child, process)
        elif child not in self._programs:
            # The line of the parent may come after the child has executed another program.
            self._note(self._programs, child, self._programs.get(process, ANY_PROGRAM))
        if architecture != NATIVE and child not in self._architectures:
            self._note(self._architectures, child, architecture)
            if pid in self._guessed:
                self._note(self._guessed, child, True)  # noqa: FBT003  a note, not a choice

    def _end(self, pid: int, result: _Result | None, code: int | None) -> None:
        """Handle the end of a thread, whose last call has such a result."""
        process = self._processes.pop(pid, pid)
        if code == -SIGSYS and result is _Result.NONE and process != pid:
            self._note(self._killed, process, [*self._killed.get(process, ()), pid])
        else:
            self._settle(pid, refused=code == -SIGSYS and result is _Result.NUMBER)
        self._programs.pop(pid, None)
        self._architectures.pop(pid, None)
        self._guessed.pop(pid, None)

    def close(self) -> None:
        """Count the last call of each process."""
        for pid in tuple(self._last):
            self._settle(pid, refused=False)

    def take(self) -> Delta:
        """Return what was counted since the last time, without the newest call of each process."""
        rows, self._rows = self._rows, {}
        evidence, cut = add_evidence({}, rows)
        return Delta(evidence=evidence, ledger=Ledger(untracked_evidence=cut))

    def _settle(self, pid: int, *, refused: bool) -> None:
        last = self._last.pop(pid, None)
        if last is not None:
            key, began_ns, _ = last
            key = key._replace(refused=refused)
            tally = EvidenceTally(1, began_ns)
            self._rows[key] = self._rows[key] + tally if key in self._rows else tally

    def _note(self, notes: dict, pid: int, value: object) -> None:  # type: ignore[type-arg]
        """Keep a value of a process; the oldest is dropped if there are too many."""
        notes[pid] = value
        if len(notes) > _MOST_PIDS:
            oldest = next(iter(notes))
            if notes is self._last:
                self._settle(oldest, refused=False)
            else:
                del notes[oldest]

    def _architecture_of(self, call: LoggedCall, pid: int) -> str:
        """Return the architecture that the log names, or else the one that has such a call."""
        architecture = self._architectures.get(pid, NATIVE)
        if architecture == NATIVE and (architecture := only_architecture(call.name)) != NATIVE:
            self._note(self._architectures, pid, architecture)
            self._note(self._guessed, pid, True)  # noqa: FBT003  a note, not a choice
        return architecture

    def _rename(self, pid: int, args: bytes) -> None:
        """Note the name that a process gives itself."""
        if name := new_name(args):
            self._note(self._programs, pid, self.redact(name))

    def _program_of(self, args: bytes) -> str:
        path = _PATH.match(args)
        return self.redact(program_of(string_text(path[1]))) if path else ""


@cache
def only_architecture(call: str) -> str:
    """Return the other architecture of this machine's programs that has a call; NATIVE if none."""
    other = _ALSO_EXECUTED.get(machine(), NATIVE)
    if other == NATIVE or call_number(call, machine()) is not None:
        return NATIVE
    return NATIVE if call_number(call, other) is None else other


def program_of(path: str) -> str:
    """Return the name that the kernel gives a process that executes a file."""
    return path.rpartition("/")[2][:_LONGEST_PROGRAM]


def new_name(args: bytes) -> str | None:
    """Return the name that a `prctl` gives the calling thread, None if it does something else."""
    name = _NEW_NAME.match(args)
    return string_text(name[1])[:_LONGEST_PROGRAM] if name else None


def printed_values(name: str, args: bytes, architecture: str) -> tuple[int, ...]:
    """Return the values that rules depend on, empty if they can't be read as numbers."""
    ruled = ruled_arguments(name, architecture)
    if not ruled:
        return ()
    if name == "clone" and (flags := _CLONE_FLAGS.search(args)):
        texts = [flags[1]]
    else:
        texts = list(split(args))
    values = []
    for each in ruled:
        if each.position >= len(texts):
            return ()
        number = number_of(texts[each.position].decode(errors="replace"))
        if number is None:
            return ()
        values.append(each.value(number))
    return tuple(values)


def _result(call: LoggedCall, architecture: str) -> _Result:
    if call.ret == b"?":
        return _Result.NONE
    number = call_number(call.name, architecture or machine())
    return _Result.NUMBER if number is not None and call.ret == b"%d" % number else _Result.OTHER
