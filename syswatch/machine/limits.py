"""Resource limits that cause errors, and how to raise them."""

import errno
import itertools
import mmap
import os
import resource
from pathlib import Path

from .proc import control_groups, open_descriptors

# The meaning of errors at a limit, and the limits that may cause them, each with its unit and the
# command that raises it.
_SHORTAGES = {
    errno.EMFILE: (
        "too many open files",
        ((resource.RLIMIT_NOFILE, "open files is {}", 1, "ulimit -n 1024"),),
    ),
    errno.EAGAIN: (
        "no more processes can be started",
        ((resource.RLIMIT_NPROC, "processes of this user is {}", 1, "ulimit -u unlimited"),),
    ),
    errno.ENOMEM: (
        "not enough memory",
        (
            (resource.RLIMIT_AS, "virtual memory is {} kB", 1024, "ulimit -v unlimited"),
            (resource.RLIMIT_DATA, "data is {} kB", 1024, "ulimit -d unlimited"),
        ),
    ),
    errno.EFBIG: (
        "the file is too large",
        ((resource.RLIMIT_FSIZE, "the size of files is {} kB", 1024, "ulimit -f unlimited"),),
    ),
}
# The memory that the modules of syswatch need: mapped files, and data.
_NEEDED_BYTES = ((60_000_000, mmap.PROT_READ), (40_000_000, mmap.PROT_READ | mmap.PROT_WRITE))
# Messages of the C library if there is no memory for a library.
_UNMAPPED = ("failed to map segment", "cannot allocate memory", "cannot map zero-fill")


def shortage(error: BaseException) -> str | None:
    """Return the limit that causes an error, and how to raise it; None if there is none."""
    number = _number(error)
    if number not in _SHORTAGES:
        return None
    what, limits = _SHORTAGES[number]
    reached = full_group() if number == errno.EAGAIN else ""
    if number == errno.EAGAIN and os.geteuid() == 0:
        limits = ()  # That on the processes of a user does not bind root.
    reached = reached or "; ".join(filter(None, (_limit(*limit) for limit in limits)))
    return f"{what}: {reached}" if reached else what


def describe_failure(error: BaseException) -> str:
    """Return why the tracer ends: a limit, or an unexpected error."""
    why = shortage(error)
    return (
        f"the tracer cannot continue: {why}"
        if why
        else f"internal error in the tracer: {_plainly(error)}"
    )


def describe(error: OSError) -> str:
    """Return the text of an error, with the limit that causes it."""
    return shortage(error) or error.strerror or str(error)


def shortage_of_files(needed: int) -> str | None:
    """Return the limit on open files if it leaves fewer than are needed."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(open_descriptors())
    if soft == resource.RLIM_INFINITY or soft - used >= needed:
        return None
    return shortage(OSError(errno.EMFILE, ""))


def need_memory() -> None:
    """Raise a MemoryError if memory is too small for all modules; importing fails less clearly."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    try:
        for size, protection in _NEEDED_BYTES:
            mmap.mmap(-1, size, flags=flags, prot=protection).close()
    except OSError as error:
        raise MemoryError from error


def full_group(root: Path = Path("/")) -> str:
    """Return the limit on processes of a control group of this process, if it is reached."""
    for controllers, path in control_groups(proc=root / "proc"):
        if controllers not in {"", "pids"}:
            continue
        tops = ("sys/fs/cgroup", f"sys/fs/cgroup/{controllers}")
        # The limit of a session of systemd is that of a group around its own.
        for top, group in itertools.product(tops, (Path(path), *Path(path).parents)):
            folder = root / top / str(group).lstrip("/")
            most, now = _read(folder / "pids.max"), _read(folder / "pids.current")
            if most.isdecimal() and now.isdecimal() and int(now) + 1 >= int(most):
                return f"the control group {group} allows {most} (raise it in {folder}/pids.max)"
    return ""


def _plainly(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _number(error: BaseException) -> int | None:
    match error:
        case MemoryError():
            return errno.ENOMEM
        case OSError():
            return error.errno
        case ImportError() if any(words in str(error).lower() for words in _UNMAPPED):
            return errno.ENOMEM
        case _:
            return None


def _limit(number: int, amount: str, unit: int, remedy: str) -> str:
    soft, _hard = resource.getrlimit(number)
    if soft == resource.RLIM_INFINITY:
        return ""
    return f"the limit on {amount.format(soft // unit)} (raise it with: {remedy})"


def _read(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).removesuffix("\n")
    except OSError:
        return ""
