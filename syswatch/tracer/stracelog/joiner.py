"""Joins the halves of calls, thread by thread, however far apart they stand."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice

import attrs

from .grammar import Call, Gone, Line, Note, Odd, Resumed, Unfinished, join

# A log may lie; a real machine has at most four million threads and few of them wait.
MOST_PENDING = 100_000
MOST_PENDING_BYTES = 16 * 1024 * 1024
# Where the PID is left out, only one process is alive, and the dead have left nothing pending.
_MOST_SEARCHED = 64


@attrs.define
class Joiner:
    """
    Remembers the first halves until their second ones come.

    It is `fresh` until it is given something that belongs to a call: what strace's own words broke
    before may still go on.
    """

    # The oldest half is forgotten first.  In a plain dict, each search for its first key would pass
    # over all keys that were deleted before it.
    _pending: OrderedDict[int, Unfinished] = attrs.field(factory=OrderedDict, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    broken: Unfinished | None = attrs.field(default=None, init=False)
    fresh: bool = attrs.field(default=True, init=False)

    def feed(self, raw: bytes, line: Line) -> Call | None:
        """Take the next line; return the call that it is, or that it completes."""
        if isinstance(line, Note):
            return None
        broken = self.broken
        self.interrupt()
        match line:
            case Call():
                return line
            case Unfinished():
                self._keep(line.pid, line)
                self.broken = line if line.broken else None
            case Resumed():
                return join(self._first_half(line), line)
            case Gone(successor=None):
                self._release(line.pid)
            case Gone():
                self._inherit(line)
            case Odd() if broken is not None:
                return self._continue(broken, raw)
        return None

    def resume(self, pid: int, name: str) -> Unfinished | None:
        """Give up the first half of a call whose rest has come."""
        self.interrupt()
        key = self._key(pid, name)
        return None if key is None else self._release(key)

    def interrupt(self) -> None:
        """Take note of whole calls that were not fed: they end what strace's words had broken."""
        self.broken = None
        self.fresh = False

    def awaits(self, line: Resumed | Gone | Odd) -> bool:
        """Return whether the beginning of what this line ends would have been seen."""
        if isinstance(line, Odd):
            return not self.fresh
        if isinstance(line, Resumed):
            return self._key(line.pid, line.name) is not None
        return (line.pid if line.successor is None else line.successor) in self._pending

    def halves(self) -> Iterator[tuple[int, Unfinished]]:
        """Yield the halves whose rest has not come, the oldest first, each with its PID."""
        return iter(self._pending.items())

    def follow(self, part: "Joiner") -> None:
        """Take the halves whose rest was not in their own part of the log, which is the next."""
        for pid, half in part.halves():
            self._keep(pid, half)
        if not part.fresh:
            self.broken, self.fresh = part.broken, False

    def _first_half(self, line: Resumed) -> Unfinished | None:
        key = self._key(line.pid, line.name)
        return None if key is None else self._release(key)

    def _keep(self, pid: int, half: Unfinished) -> None:
        self._release(pid)
        self._pending[pid] = half
        self._bytes += len(half.text)
        while len(self._pending) > MOST_PENDING or self._bytes > MOST_PENDING_BYTES:
            self._release(next(iter(self._pending)))

    def _release(self, pid: int) -> Unfinished | None:
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

    def _inherit(self, line: Gone) -> None:
        # The kernel gives an execve by any thread to the leader: it resumes as that one.
        half = self._release(line.successor or 0)
        self._release(line.pid)
        if half:
            self._keep(line.pid, half)

    def _continue(self, broken: Unfinished, raw: bytes) -> Call | None:
        call = join(broken, Resumed(broken.pid, broken.time, broken.name, raw))
        if call:
            self._release(broken.pid)
        return call
