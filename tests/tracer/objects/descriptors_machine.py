"""
Compares the descriptor tables with the kernel's own; `python -m` runs it.

It has a process of its own: in that of the tests, other threads open and close descriptors, too.
"""

import ctypes
import fcntl
import os
import subprocess
import tempfile

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from syswatch.tracer.objects import describe
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Descriptors, Found
from syswatch.tracer.objects.effects import completed

from .observed import TID, Call

_LIBC = ctypes.CDLL(None, use_errno=True)
_SYS_CLOSE_RANGE = 436
_CLOEXEC_FLAG = 4
_FIOCLEX = 0x5451
_MOST = 12
_CHILD = 8
_FDS = st.integers(0, _MOST - 1)


def _links() -> dict[int, bytes]:
    links = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  as fast as possible
        try:
            links[int(name)] = os.readlink(f"/proc/self/fd/{name}").encode()  # noqa: PTH115
        except OSError:
            continue  # The descriptor that listed the others.
    return links


class DescriptorsMachine(RuleBasedStateMachine):
    """Makes calls, and tells the tables of them; the kernel has the right answer."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign = set(_links())
        self.file = tempfile.NamedTemporaryFile()  # noqa: SIM115  closed in teardown
        self.foreign.add(self.file.fileno())
        self.is_new = False
        self.tables = Descriptors(resolve=self._resolve)

    def teardown(self) -> None:
        """Close what is open."""
        for fd in self._own():
            os.close(fd)
        self.file.close()

    def _resolve(self, _tid: int, fd: int) -> Found | None:
        # Only what was just opened may be looked up: all else must be in the tables.
        if not self.is_new:
            return None
        link = os.readlink(f"/proc/self/fd/{fd}").encode()  # noqa: PTH115
        return Found(describe.from_link(link, fd, Owner(TID)))

    def _own(self) -> list[int]:
        return sorted(set(_links()) - self.foreign)

    def _pick(self, place: int) -> int | None:
        own = self._own()
        return own[place % len(own)] if own else None

    def _opened(self, call: Call) -> None:
        self.is_new = True
        completed(self.tables, call)
        self.is_new = False

    @rule(cloexec=st.booleans())
    def pipe(self, cloexec: bool) -> None:  # noqa: FBT001  given by Hypothesis
        """Open a pipe."""
        if len(self._own()) < _MOST:
            flags = os.O_CLOEXEC if cloexec else 0
            self._opened(Call("pipe2", 0, [0, flags], fds=os.pipe2(flags)))

    @rule(cloexec=st.booleans())
    def open(self, cloexec: bool) -> None:  # noqa: FBT001  given by Hypothesis
        """Open a file."""
        if len(self._own()) < _MOST:
            flags = os.O_CLOEXEC if cloexec else 0
            fd = os.open(self.file.name, flags)
            if not cloexec:
                os.set_inheritable(fd, True)  # noqa: FBT003  positional only
            self._opened(Call("openat", fd, [0, 0, flags], {1: self.file.name.encode()}))

    @rule(place=_FDS, command=st.sampled_from([fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC]))
    def dup(self, place: int, command: int) -> None:
        """Duplicate a descriptor."""
        old = self._pick(place)
        if old is not None and len(self._own()) < _MOST:
            new = fcntl.fcntl(old, command, 0)
            completed(self.tables, Call("fcntl", new, [old, command]))

    @rule(place=_FDS, other=_FDS, cloexec=st.booleans())
    def dup_over(self, place: int, other: int, cloexec: bool) -> None:  # noqa: FBT001
        """Duplicate a descriptor over another one, which may be the same."""
        old, new = self._pick(place), self._pick(other)
        if old is None or new is None:
            return
        if old == new:
            self.assert_same(_LIBC.dup2(old, new), new)
            completed(self.tables, Call("dup2", new, [old, new]))
        else:
            os.dup2(old, new, inheritable=not cloexec)
            flags = os.O_CLOEXEC if cloexec else 0
            completed(self.tables, Call("dup3", new, [old, new, flags]))

    @rule(place=_FDS)
    def close(self, place: int) -> None:
        """Close a descriptor."""
        fd = self._pick(place)
        if fd is not None:
            os.close(fd)
            completed(self.tables, Call("close", 0, [fd]))

    @rule(place=_FDS, width=st.integers(0, 3), flags=st.sampled_from([0, _CLOEXEC_FLAG]))
    def close_range(self, place: int, width: int, flags: int) -> None:
        """Close some descriptors in a row, or mark them."""
        first = self._pick(place)
        if first is None or self.foreign & set(range(first, first + width + 1)):
            return
        result = _LIBC.syscall(_SYS_CLOSE_RANGE, first, first + width, flags)
        self.assert_same(result, 0)
        completed(self.tables, Call("close_range", 0, [first, first + width, flags]))

    @rule(place=_FDS, on=st.booleans())
    def set_cloexec(self, place: int, on: bool) -> None:  # noqa: FBT001
        """Set or clear the flag."""
        fd = self._pick(place)
        if fd is not None:
            fcntl.fcntl(fd, fcntl.F_SETFD, int(on))
            completed(self.tables, Call("fcntl", 0, [fd, fcntl.F_SETFD, int(on)]))

    @rule(place=_FDS)
    def mark(self, place: int) -> None:
        """Set the flag by ioctl."""
        fd = self._pick(place)
        if fd is not None:
            fcntl.ioctl(fd, _FIOCLEX)
            completed(self.tables, Call("ioctl", 0, [fd, _FIOCLEX]))

    @rule()
    def execute(self) -> None:
        """Start a program, which inherits what is not marked."""
        listing = subprocess.run(
            ["ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, check=True
        ).stdout
        pairs = [line.split(b" -> ") for line in listing.splitlines() if b" -> " in line]
        inherited = {int(head.split()[-1]): link for head, link in pairs}
        ours = {link for fd, link in _links().items() if fd not in self.foreign}
        self.tables.forked(TID, _CHILD, shares=False)
        completed(self.tables, Call("execve", 0, tid=_CHILD, pid=_CHILD))
        expected = {fd: link for fd, link in inherited.items() if link in ours}
        self.assert_same(self._tracked(_CHILD), expected)
        self.tables.ended(_CHILD)

    @invariant()
    def is_right(self) -> None:
        """The table holds what is open, and which of them execve would close."""
        links = _links()
        own = {fd: link for fd, link in links.items() if fd not in self.foreign}
        self.assert_same(self._tracked(TID), own)
        marked = {fd for fd in own if fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC}
        self.assert_same(self.tables.table(TID).cloexec, marked)

    def _tracked(self, tid: int) -> dict[int, bytes]:
        names = {}
        for fd, description in self.tables.table(tid).open.items():
            info = self.tables.known.info(description.object)
            name = info.name if info is not None else ""
            names[fd] = name.replace("pipe [", "pipe:[").encode()
        return names

    @staticmethod
    def assert_same(left: object, right: object) -> None:
        """Fail unless both are equal."""
        assert left == right, (left, right)


if __name__ == "__main__":
    run_state_machine_as_test(DescriptorsMachine)
