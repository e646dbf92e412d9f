"""
Scheduler statistics of threads: /proc/TID/schedstat.

They tell how long a thread has run, how long it was ready without a CPU, and how often it was
switched in.  A stop switches a thread out and in once.
"""

import contextlib
import os
import resource
from typing import NamedTuple

import attrs

from syswatch.base.classes import define

# The longest content is three numbers of 64 bits.
_BYTES = 64
_FIELDS = 3


class Usage(NamedTuple):
    """The time that a thread has run and was ready without a CPU, and how often it began to run."""

    run_ns: int = 0
    ready_ns: int = 0
    switches: int = 0

    def since(self, before: "Usage") -> "Usage":
        """Return the difference to an earlier reading."""
        return Usage(
            self.run_ns - before.run_ns,
            self.ready_ns - before.ready_ns,
            self.switches - before.switches,
        )


NOTHING_USED = Usage()


def _most_open() -> int:
    # The target inherits the limit, so it is not raised.
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


@define
class Schedule:
    """Reads the statistics of threads; the files are kept open, since opening takes most time."""

    _files: dict[int, int] = attrs.field(factory=dict, init=False)
    _most_open: int = attrs.field(factory=_most_open)

    def read(self, tid: int) -> Usage | None:
        """Return the statistics of a thread; None if it has ended or the kernel has none."""
        file = self._files.get(tid)
        try:
            if file is not None:
                return _parse(os.pread(file, _BYTES, 0))
            file = os.open(f"/proc/{tid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        if len(self._files) < self._most_open:
            self._files[tid] = file
            return self.read(tid)
        try:
            return _parse(os.pread(file, _BYTES, 0))
        except OSError:
            return None
        finally:
            os.close(file)

    def forget(self, tid: int) -> None:
        """Close the file of a thread that has ended or changed its ID."""
        file = self._files.pop(tid, None)
        if file is not None:
            with contextlib.suppress(OSError):
                os.close(file)


def _parse(data: bytes) -> Usage | None:
    numbers = data.split()
    return Usage(*map(int, numbers)) if len(numbers) == _FIELDS else None
