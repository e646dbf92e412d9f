"""Joins the halves of calls, thread by thread, however far apart they stand."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice

import attrs

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

# A log may lie; a real machine has at most four million threads and few of them wait.
MOST_PENDING = 100_000
MOST_PENDING_BYTES = 16 * 1024 * 1024
# Where the PID is left out, only one process is alive, and the dead have left nothing pending.
_MOST_SEARCHED = 64


@attrs.define
class UnfinishedCalls:
    """
    Remembers the first halves until their second ones come.

    It is `fresh` until it is given something that belongs to a call: what strace's own words broke
    before may still go on.
    """

    # The oldest half is forgotten first.  In a plain dict, each search for its first key would pass
    # over all keys that were deleted before it.
    _pending: OrderedDict[int, UnfinishedCall] = attrs.field(factory=OrderedDict, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    broken: UnfinishedCall | None = attrs.field(default=None, init=False)
    fresh: bool = attrs.field(default=True, init=False)

    def feed(self, raw: bytes, line: ParsedLine) -> LoggedCall | None:
        """Take the next line; return the call that it is, or that it completes."""
        if isinstance(line, OtherLine):
            return None
        broken = self.broken
        self.interrupt()
        match line:
            case LoggedCall():
                return line
            case UnfinishedCall():
                self._keep(line.pid, line)
                self.broken = line if line.broken else None
            case ResumedCall():
                return join(self._first_half(line), line)
            case ThreadEnd(successor=None):
                self._release(line.pid)
            case ThreadEnd():
                self._inherit(line)
            case UnknownLine() if broken is not None:
                return self._continue(broken, raw)
        return None

    def resume(self, pid: int, name: str) -> UnfinishedCall | None:
        """Give up the first half of a call whose rest has come."""
        self.interrupt()
        key = self._key(pid, name)
        return None if key is None else self._release(key)

    def interrupt(self) -> None:
        """Take note of whole calls that were not fed: they end what strace's words had broken."""
        self.broken = None
        self.fresh = False

    def awaits(self, line: ResumedCall | ThreadEnd | UnknownLine) -> bool:
        """Return whether the beginning of what this line ends would have been seen."""
        if isinstance(line, UnknownLine):
            return not self.fresh
        if isinstance(line, ResumedCall):
            return self._key(line.pid, line.name) is not None
        return (line.pid if line.successor is None else line.successor) in self._pending

    def halves(self) -> Iterator[tuple[int, UnfinishedCall]]:
        """Yield the halves whose rest has not come, the oldest first, each with its PID."""
        return iter(self._pending.items())

    def follow(self, part: "UnfinishedCalls") -> None:
        """Take the halves whose rest was not in their own part of the log, which is the next."""
        for pid, half in part.halves():
            self._keep(pid, half)
        if not part.fresh:
            self.broken, self.fresh = part.broken, False

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
        Find whose call is meant.

        strace leaves the pid out (0 here) while it follows one process only, so the halves of a
        call may differ in that when another process appeared or ended between them.
        """
        for key in (pid, 0):
            if key in self._pending and name in ("", self._pending[key].name):
                return key
        if pid:
            return None
        searched = islice(self._pending.items(), _MOST_SEARCHED)
        return next((key for key, half in searched if half.name == name), None)

    def _inherit(self, line: ThreadEnd) -> None:
        # The kernel gives an execve by any thread to the leader: it resumes as that one.
        half = self._release(line.successor or 0)
        self._release(line.pid)
        if half:
            self._keep(line.pid, half)

    def _continue(self, broken: UnfinishedCall, raw: bytes) -> LoggedCall | None:
        call = join(broken, ResumedCall(broken.pid, broken.time, broken.name, raw))
        if call:
            self._release(broken.pid)
        return call
