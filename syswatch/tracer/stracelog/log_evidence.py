"""
What rules for calls are made of, from the arguments that strace prints.

A call whose arguments can't be read as numbers has no values, so that no rule is made for them.
strace shows a call by way of `socketcall` or `ipc`, which i386 has, as the call that is meant.
"""

import re
from collections.abc import Callable
from signal import SIGSYS

import attrs

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
)
from .log_symbols import number_of

_PATH = re.compile(rb"(?:[^,\"]+, )?(%s)" % STRING)
_CLONE_FLAGS = re.compile(rb"\bflags=([^,}]*)")
_CREATES = frozenset({"clone", "clone3", "fork", "vfork"})
_EXECUTES = frozenset({"execve", "execveat"})
# The kernel cuts the names of programs.
_LONGEST_PROGRAM = 15
# A damaged log may have any number of PIDs.
_MOST_PIDS = 1 << 17


@attrs.define
class LogEvidence:
    """Counts each call once, in the order of the log."""

    redact: Callable[[str], str]
    fallback_pid: int
    _rows: dict[EvidenceKey, EvidenceTally] = attrs.field(factory=dict, init=False)
    # Of the processes whose architecture the log names, and of their children.
    _architectures: dict[int, str] = attrs.field(factory=dict, init=False)
    _programs: dict[int, str] = attrs.field(factory=dict, init=False)
    # The newest call of each process: its row, when it began, and whether its result is its number.
    _last: dict[int, tuple[EvidenceKey, int | None, bool]] = attrs.field(factory=dict, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many rows that they should be taken early."""
        return len(self._rows) > TRACKED_EVIDENCE

    def note_line(self, line: ParsedLine) -> None:
        """Note the architecture of the following calls, and whether the last one was refused."""
        match line:
            case ModeChange():
                pid = line.pid or self.fallback_pid
                self._note(self._architectures, pid, line.architecture)
            case RefusedCall():
                self._settle(line.pid or self.fallback_pid, refused=True)
            case ThreadEnd():
                pid = line.pid or self.fallback_pid
                last = self._last.get(pid)
                refused = line.code == -SIGSYS and last is not None and last[2]
                self._settle(pid, refused=refused)
                self._programs.pop(pid, None)
                self._architectures.pop(pid, None)

    def add(self, call: LoggedCall, began_ns: int | None) -> None:
        """Count a call; it is settled whether it was refused when the next line of it is read."""
        pid = call.pid or self.fallback_pid
        self._settle(pid, refused=False)
        succeeded = call.returned and not call.errno
        if succeeded and call.name in _EXECUTES:
            self._note(self._programs, pid, self._program_of(call.args))
        program = self._programs.get(pid, ANY_PROGRAM)
        architecture = self._architectures.get(pid, NATIVE)
        if succeeded and call.name in _CREATES and call.ret.isdigit():
            child = int(call.ret[:9])
            self._note(self._programs, child, program)
            if architecture != NATIVE and child not in self._architectures:
                self._note(self._architectures, child, architecture)
        key = EvidenceKey(call.name, _values(call, architecture), architecture, program)
        self._note(self._last, pid, (key, began_ns, _returned_number(call, architecture)))

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

    def _program_of(self, args: bytes) -> str:
        path = _PATH.match(args)
        return (
            self.redact(string_text(path[1]).rpartition("/")[2][:_LONGEST_PROGRAM]) if path else ""
        )


def _values(call: LoggedCall, architecture: str) -> tuple[int, ...]:
    ruled = ruled_arguments(call.name, architecture)
    if not ruled:
        return ()
    if call.name == "clone" and (flags := _CLONE_FLAGS.search(call.args)):
        texts = [flags[1]]
    else:
        texts = list(split(call.args))
    values = []
    for each in ruled:
        if each.position >= len(texts):
            return ()
        number = number_of(texts[each.position].decode(errors="replace"))
        if number is None:
            return ()
        values.append(each.value(number))
    return tuple(values)


def _returned_number(call: LoggedCall, architecture: str) -> bool:
    """Return whether the result is the number of the call, as of one that SIGSYS ended."""
    number = call_number(call.name, architecture or machine())
    return number is not None and call.ret == b"%d" % number
