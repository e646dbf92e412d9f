"""Joins the halves of calls, thread by thread, however far apart they stand."""

from collections.abc import Iterator

import attrs

from .grammar import Call, Gone, Line, Odd, Resumed, Unfinished, join, parse_line

# A log may lie; a real machine has at most four million threads and few of them wait.
MOST_PENDING = 100_000
MOST_PENDING_BYTES = 16 * 1024 * 1024


@attrs.define
class Joiner:
    """Remembers the first halves until their second ones come."""

    _pending: dict[int, tuple[bytes, Unfinished]] = attrs.field(factory=dict, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    _broken: Unfinished | None = attrs.field(default=None, init=False)

    def feed(self, raw: bytes, line: Line) -> Call | None:
        """Take the next line; return the call that it is, or that it completes."""
        broken, self._broken = self._broken, None
        match line:
            case Call():
                return line
            case Unfinished():
                self._hold(raw, line)
            case Resumed():
                return join(self._first_half(line), line)
            case Gone(successor=None):
                self._release(line.pid)
            case Gone():
                self._inherit(line)
            case Odd() if broken is not None:
                return self._continue(broken, raw)
            case _:
                self._broken = broken
        return None

    def resume(self, pid: int, name: str) -> Unfinished | None:
        """Give up the first half of a call whose rest has come."""
        self._broken = None
        key = self._key(pid, name)
        return None if key is None else self._release(key)

    def interrupt(self) -> None:
        """Take note of whole calls that were not fed: they end what strace's words had broken."""
        self._broken = None

    def awaits(self, line: Resumed | Gone) -> bool:
        """Say whether the beginning of what this line ends has been seen."""
        if isinstance(line, Resumed):
            return self._key(line.pid, line.name) is not None
        return (line.pid if line.successor is None else line.successor) in self._pending

    def halves(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines whose rest has not come, in their order, each with whose call it is."""
        return ((pid, raw) for pid, (raw, _) in self._pending.items())

    def hold(self, pid: int, raw: bytes) -> None:
        """Take what the joiner of a part has waited for in vain."""
        line = parse_line(raw)
        if isinstance(line, Unfinished):
            self._keep(pid, raw, line)

    def _hold(self, raw: bytes, line: Unfinished) -> None:
        self._keep(line.pid, raw, line)
        self._broken = line if line.broken else None

    def _first_half(self, line: Resumed) -> Unfinished | None:
        key = self._key(line.pid, line.name)
        return None if key is None else self._release(key)

    def _keep(self, pid: int, raw: bytes, half: Unfinished) -> None:
        self._release(pid)
        self._pending[pid] = (raw, half)
        self._bytes += len(raw)
        while len(self._pending) > MOST_PENDING or self._bytes > MOST_PENDING_BYTES:
            self._release(next(iter(self._pending)))

    def _release(self, pid: int) -> Unfinished | None:
        raw, half = self._pending.pop(pid, (b"", None))
        self._bytes -= len(raw)
        return half

    def _key(self, pid: int, name: str) -> int | None:
        """
        Find whose call is meant.

        strace leaves the pid out (0 here) while it follows one process only, so the halves of a
        call may differ in that when another process appeared or ended between them.
        """
        for key in (pid, 0):
            if key in self._pending and name in ("", self._pending[key][1].name):
                return key
        if pid:
            return None
        return next((key for key, (_, half) in self._pending.items() if half.name == name), None)

    def _inherit(self, line: Gone) -> None:
        # The kernel gives an execve by any thread to the leader: it resumes as that one.
        raw, _ = self._pending.get(line.successor or 0, (b"", None))
        half = self._release(line.successor or 0)
        self._release(line.pid)
        if half:
            self._keep(line.pid, raw, half)

    def _continue(self, broken: Unfinished, raw: bytes) -> Call | None:
        call = join(broken, Resumed(broken.pid, broken.time, broken.name, raw))
        if call:
            self._release(broken.pid)
        return call
