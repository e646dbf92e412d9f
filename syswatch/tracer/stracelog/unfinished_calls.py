"""Joins calls that strace has written in two halves, `<unfinished ...>` and `<... resumed>`."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice

import attrs

from syswatch.base.classes import define

from .grammar import (
    LoggedCall,
    OtherLine,
    ParsedLine,
    ResumedCall,
    ThreadEnd,
    UnfinishedCall,
    UnknownLine,
    join,
)
from .log_clock import is_relative

# A damaged log may have any number of first halves without a second one.
MOST_PENDING = 100_000
MOST_PENDING_BYTES = 16 * 1024 * 1024
# Lines without a PID mean that there is a single process, so few calls can be pending.
_MOST_SEARCHED = 64


@define
class UnfinishedCalls:
    """
    Keeps the first halves of calls until the second ones come.

    If a message of strace has split a call, its rest is the next line, and begins with no PID; as
    it does if `strace -z` or `-Z` has kept both halves until the result was known.  In a part of a
    log, `is_fresh` holds before the first line of a call: that line may be the rest of a call at
    the end of the part before.
    """

    # The oldest half is dropped first.  To find it in a plain dict takes linear time, since the
    # iteration passes over all deleted keys.
    _pending: OrderedDict[int, UnfinishedCall] = attrs.field(factory=OrderedDict, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    # The first half on the line before.
    newest: UnfinishedCall | None = attrs.field(default=None, init=False)
    is_fresh: bool = attrs.field(default=True, init=False)

    def feed(self, raw: bytes, line: ParsedLine) -> LoggedCall | None:
        """Take the next line; return the call that it is, or that it completes."""
        if isinstance(line, OtherLine):
            return None
        before = self.newest
        self.note_calls()
        match line:
            case LoggedCall():
                return line
            case UnfinishedCall():
                self._keep(line.pid, line)
                self.newest = line
            case ResumedCall():
                return join(self._first_half(line), line)
            case ThreadEnd(successor=None):
                self._release(line.pid)
            case ThreadEnd():
                self._inherit(line)
            case UnknownLine() if before is not None:
                return self._continue(before, raw)
        return None

    def begin(self, pid: int, text: bytes) -> None:
        """Keep the text of a plain first half."""
        self.note_calls()
        name, _, args = text.partition(b"(")
        self._keep(pid, UnfinishedCall(pid, b"", name.decode(), args))

    def resume(self, pid: int, name: str) -> UnfinishedCall | None:
        """Remove and return the first half of a call whose second half has come."""
        self.note_calls()
        key = self._key(pid, name)
        return None if key is None else self._release(key)

    def note_calls(self) -> None:
        """Note that there were other lines, which are not fed: no line is the rest of a half."""
        self.newest = None
        self.is_fresh = False

    def note_half(self, line: ParsedLine) -> None:
        """Note that the line before, whose text is kept, was a plain first half."""
        self.note_calls()
        self.newest = line if isinstance(line, UnfinishedCall) else None

    def has_room(self, lines: int, size: int) -> bool:
        """Return whether no half would be dropped if so many lines and bytes were first halves."""
        return (
            len(self._pending) + lines <= MOST_PENDING and self._bytes + size <= MOST_PENDING_BYTES
        )

    def holds(self, pid: int, name: str = "") -> bool:
        """Return whether the first half of a call of a process is kept, if of this name."""
        return pid in self._pending and name in ("", self._pending[pid].name)

    def awaits(self, line: ResumedCall | ThreadEnd | UnknownLine) -> bool:
        """Return whether the first half of what this line ends is in this part, if anywhere."""
        if isinstance(line, UnknownLine):
            return not self.is_fresh
        if isinstance(line, ResumedCall):
            return self._key(line.pid, line.name) is not None
        return (line.pid if line.successor is None else line.successor) in self._pending

    def halves(self) -> Iterator[tuple[int, UnfinishedCall]]:
        """Yield the pending halves with their PIDs, the oldest first."""
        return iter(self._pending.items())

    def take(self) -> Sequence[UnfinishedCall]:
        """Return the halves whose second ones have not come until the end of the log."""
        # In the logs of `strace -ff`, the end of a call is in that of the thread that has the PID.
        halves = [half._replace(pid=pid) for pid, half in self.halves() if not half.moves]
        self._pending.clear()
        self._bytes = 0
        return halves

    def add_part(self, part: "UnfinishedCalls") -> None:
        """Add the halves that are pending at the end of the next part of the log."""
        for pid, half in part.halves():
            self._keep(pid, half)
        if not part.is_fresh:
            self.newest, self.is_fresh = part.newest, False

    def _first_half(self, line: ResumedCall) -> UnfinishedCall | None:
        key = self._key(line.pid, line.name)
        return None if key is None else self._release(key)

    def _keep(self, pid: int, half: UnfinishedCall) -> None:
        self._release(pid)
        self._pending[pid] = half
        self._bytes += len(half.text)
        while len(self._pending) > MOST_PENDING or self._bytes > MOST_PENDING_BYTES:
            self._release(next(iter(self._pending)))

    def _release(self, pid: int) -> UnfinishedCall | None:
        half = self._pending.pop(pid, None)
        if half is not None:
            self._bytes -= len(half.text)
        return half

    def _key(self, pid: int, name: str) -> int | None:
        """
        Return the PID under which the first half of a call is kept.

        strace omits the PID (0 here) as long as it traces one process only, so one half of a call
        may have a PID and the other none.
        """
        for key in (pid, 0):
            if self.holds(key, name):
                return key
        if pid:
            return None
        searched = islice(self._pending.items(), _MOST_SEARCHED)
        return next((key for key, half in searched if half.name == name), None)

    def _inherit(self, line: ThreadEnd) -> None:
        # After an execve by another thread, that thread has the PID of the leader.
        half = self._release(line.successor or 0)
        self._release(line.pid)
        if half:
            self._keep(line.pid, half)

    def _continue(self, first: UnfinishedCall, raw: bytes) -> LoggedCall | None:
        # A time that is relative to the line before must not be added twice.
        time = b"" if first.time and is_relative(first.time) else first.time
        call = join(first, ResumedCall(first.pid, time, first.name, raw))
        if call:
            self._release(first.pid)
        return call
