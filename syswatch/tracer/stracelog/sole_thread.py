"""
Tells whose the lines without a PID are.

`strace -f` writes PIDs only while it traces more than one thread, unless it writes to a file of its
own (-o).  So the first lines are those of the program, and later ones are those of whichever thread
is left.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from syswatch.base.classes import define

from .grammar import CALL_NAME, LoggedCall, ResumedCall, ThreadEnd, parse_line
from .lines import Chunk, Overlong

# A program learns its TID as soon as it runs.  If its line has not come after so many bytes, it is
# not waited for any longer.
_MOST_HELD_BACK = 1 << 20
_BRACKETED = re.compile(rb"^\[pid +(\d{1,8})(?:<[^>\n]*>)?\] ", re.MULTILINE)
_PID_FIRST = re.compile(rb"\d{1,8}(?:<[^>]*>)? +[^ ]")
# What may precede a call that has no PID: a time, a relative time, a number and a pointer.
_PREFIX = rb"(?: *(?:\d+[:.][\d:.]*|\d{9,10}) )?(?: *\(\+ +[\d.]+\) )?(?:\[[ 0-9a-f?]+\] ){0,2}"
# A line of strace, which the program's own output is not; nor is the rest of a line that was cut.
_WITHOUT_PID = re.compile(
    rb"^(?=%s(?:%s\(|<\.\.\. |--- |\+\+\+ ))" % (_PREFIX, CALL_NAME), re.MULTILINE
)
# It may end a line that it has cut.
_ATTACHED = re.compile(rb"strace: Process (\d{1,8}) (attached|detached)(?: with \d+ threads)?$")
# Calls in which a thread learns its TID; of a PID in a namespace, that of strace is a comment.
_OWN_TID = re.compile(
    rb"%s(?:set_tid_address|gettid)\(.*\) += (\d{1,8})(?: /\* (\d{1,8}) in strace's PID NS \*/)?"
    % _PREFIX
)
_LAST_CALLS = frozenset({"exit", "exit_group"})
# What is on each line after which another thread may be the only one.  The end of a call stands for
# that of its thread, which `strace -qq` does not tell.
_EVENTS = (b"exit", b"+++ killed", b"+++ superseded", b"tached")


def program_pid(lines: Iterable[bytes]) -> int:
    """Return the PID of the program that was started or attached to, 0 if no line tells it."""
    announced: set[int] = set()
    has_calls = False
    for line in lines:
        if bracketed := _BRACKETED.match(line):
            if int(bracketed[1]) not in announced:
                return int(bracketed[1])
        elif _WITHOUT_PID.match(line):
            has_calls = True
            if own := _OWN_TID.match(line):
                return int(own[2] or own[1])
        if attached := _ATTACHED.search(line):
            if not has_calls:
                return int(attached[1])
            announced.add(int(attached[1]))
    return 0


def has_pids(lines: Iterable[bytes]) -> bool:
    """Return whether all lines begin with a PID, as in the file of `strace -f -o`."""
    for line in lines:
        if _PID_FIRST.match(line):
            return True
        if _WITHOUT_PID.match(line) or _BRACKETED.match(line):
            return False
    return False


@define
class SoleThread:
    """
    Adds the PID to lines without one that are not those of the program.

    If the program is not known yet (0), the lines are held back until one tells it.
    """

    _program: int
    # Whose the lines without a PID are at the moment.
    pid: int = attrs.field(init=False)
    _living: set[int] = attrs.field(factory=set, init=False)
    # `strace -q` does not tell which threads there are; then they are learned from their lines.
    _are_announced: bool = attrs.field(default=False, init=False)
    _held_back: list[Chunk | Overlong] = attrs.field(factory=list, init=False)
    _is_settled: bool = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin with the program."""
        self._begin(self._program)
        self._is_settled = self._program != 0

    def receive(self, piece: Chunk | Overlong) -> Sequence[Chunk | Overlong]:
        """Take the next piece of the log; return what can be parsed."""
        if self._is_settled:
            return (self._completed(piece),)
        self._held_back.append(piece)
        chunks = [each.lines for each in self._held_back if isinstance(each, Chunk)]
        pid = program_pid(line for chunk in chunks for line in chunk.split(b"\n"))
        if pid:
            self._begin(pid)
        return self.settle() if pid or sum(map(len, chunks)) > _MOST_HELD_BACK else ()

    def settle(self) -> Sequence[Chunk | Overlong]:
        """Return what was held back; if there is any, no more lines are waited for."""
        pieces, self._held_back = self._held_back, []
        self._is_settled |= bool(pieces)
        return [self._completed(each) for each in pieces]

    def _begin(self, pid: int) -> None:
        self.pid = pid
        self._living = {pid}

    def _completed(self, piece: Chunk | Overlong) -> Chunk | Overlong:
        return Chunk(self._with_pids(piece.lines)) if isinstance(piece, Chunk) else piece

    def _with_pids(self, lines: bytes) -> bytes:
        parts: list[bytes] = []
        begin = 0
        for end in _ends_of_events(lines):
            stretch = lines[begin:end]
            parts.append(self._stretch(stretch))
            self._note(stretch)
            begin = end
        parts.append(self._stretch(lines[begin:]))
        self._meet(lines[begin:])
        return b"".join(parts)

    def _stretch(self, lines: bytes) -> bytes:
        """Return lines, all of which without a PID are those of one thread."""
        if self.pid == self._program:
            return lines
        return _WITHOUT_PID.sub(b"[pid %d] " % self.pid, lines)

    def _note(self, lines: bytes) -> None:
        """Note what the last line tells, and from the others who is there."""
        line = lines[lines.rfind(b"\n", 0, -1) + 1 :].removesuffix(b"\n")
        if attached := _ATTACHED.search(line):
            self._are_announced = True
            self._note_living(int(attached[1]), lives=attached[2] == b"attached")
            return
        self._meet(lines)
        match parse_line(line):
            case ThreadEnd(pid=pid):
                self._note_living(pid or self.pid, lives=False)
            case LoggedCall(pid=pid, name=name) | ResumedCall(pid=pid, name=name) if (
                name in _LAST_CALLS
            ):
                self._note_living(pid or self.pid, lives=False)

    def _meet(self, lines: bytes) -> None:
        if not self._are_announced and b"[pid " in lines:
            self._living.update(map(int, _BRACKETED.findall(lines)))

    def _note_living(self, pid: int, *, lives: bool) -> None:
        (self._living.add if lives else self._living.discard)(pid)
        if len(self._living) == 1:
            (self.pid,) = self._living


def _ends_of_events(lines: bytes) -> Iterator[int]:
    """Yield where each line ends after which another thread may be the only one."""
    found = sorted({at for word in _EVENTS for at in _positions(lines, word)})
    end = 0
    for at in found:
        if at >= end:
            end = lines.find(b"\n", at) + 1 or len(lines)
            yield end


def _positions(lines: bytes, word: bytes) -> Iterator[int]:
    at = lines.find(word)
    while at >= 0:
        yield at
        at = lines.find(word, at + len(word))
