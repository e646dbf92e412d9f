"""What the kernel counts for a process, and what it should have counted by the rows of a trace."""

from collections import Counter
from pathlib import Path

from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.delta import Delta

# What the kernel counts in rchar and wchar, and the calls in syscr and syscw, whether or not they
# succeed.
_READING = frozenset({"read", "pread64", "readv", "preadv", "preadv2"})
_WRITING = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2"})
_COPYING = frozenset({"sendfile", "copy_file_range"})
_COMPARED = ("rchar", "wchar", "syscr", "syscw")


def accounting(pid: int) -> Counter[str]:
    """Return the content of /proc/PID/io, in which are the children that were waited for."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return Counter({name: int(value) for name, value in (line.split(": ") for line in lines)})


def growth(before: Counter[str], after: Counter[str]) -> Counter[str]:
    """Return the growth of the numbers that are compared."""
    return Counter({name: after[name] - before[name] for name in _COMPARED})


def counted(delta: Delta, pid: int | None = None) -> Counter[str]:
    """Return what the kernel should have counted for a process, or for all of them."""
    read, written, copied = (_total(delta, pid, of) for of in (_READING, _WRITING, _COPYING))
    copies = copied.count - _empty_copies(delta, pid)
    return Counter(
        rchar=read.bytes_in + copied.bytes_in,
        wchar=written.bytes_out + copied.bytes_out,
        syscr=read.count + copies,
        syscw=written.count + copies,
    )


def check(delta: Delta, pid: int, before: Counter[str], after: Counter[str]) -> None:
    """Compare the rows of a process with the growth of what the kernel has counted."""
    by_kernel, by_tracer = growth(before, after), counted(delta, pid)
    if by_kernel != by_tracer:
        raise AssertionError(f"the kernel has counted {by_kernel}, the tracer {by_tracer}")


def _total(delta: Delta, pid: int | None, calls: frozenset[str]) -> Sums:
    rows = delta.activity.items()
    return sum((row for key, row in rows if pid in {None, key.pid} and key.call in calls), NO_SUMS)


def _empty_copies(delta: Delta, pid: int | None) -> int:
    """Return how often copy_file_range was at the end of a file, which has no count."""
    entries = [entry for entry in delta.log if entry.name == "copy_file_range"]
    if "copy_file_range" in delta.calls and len(entries) < delta.calls["copy_file_range"].count:
        raise AssertionError("the log does not have all calls")
    return sum(entry.ret == "0" and pid in {None, entry.pid} for entry in entries)
