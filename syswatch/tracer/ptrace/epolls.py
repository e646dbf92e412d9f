"""What an epoll watches that was registered before the trace: from /proc/PID/fdinfo."""

import re
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.descriptors import Description, Descriptors

# The data is that of the program, which often is the descriptor itself or an address.
_WATCHED = re.compile(rb"^tfd:\s*(\d+) events:\s*[0-9a-f]+ data:\s*([0-9a-f]+)", re.MULTILINE)
_MOST_READ = 10_000


@define
class EpollRegistrations:
    """Finds what has woken an epoll; reads the registrations of each epoll once at most."""

    descriptors: Descriptors
    _read: set[Description] = attrs.field(factory=set, init=False)

    def woken_by(self, tid: int, fd: int, data: int) -> int:
        """Return the object that is registered with some data, else that of the epoll."""
        epoll = self.descriptors.description(tid, fd)
        if epoll is None:
            return self.descriptors.object_of(tid, fd)
        if data not in (epoll.watched or {}) and epoll not in self._read:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            self._read.add(epoll)
            self._load(epoll, tid, fd)
        return epoll.woken_by(data).object

    def _load(self, epoll: Description, tid: int, fd: int) -> None:
        try:
            data = Path(f"/proc/{tid}/fdinfo/{fd}").read_bytes()
        except OSError:
            return
        for match in _WATCHED.finditer(data):
            watched = self.descriptors.description(tid, int(match[1]))
            if watched is not None:
                epoll.watch(int(match[2], 16), watched)
