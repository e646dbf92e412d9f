"""Names of error numbers."""

from collections.abc import Mapping
from errno import errorcode

# Some numbers have two names; these are the ones that Linux prefers.
_PREFERRED = {11: "EAGAIN", 35: "EDEADLK", 95: "EOPNOTSUPP"}
# Other results of system calls: how the kernel restarts a call after a signal, and numbers that are
# internal to the kernel.  Programs never see the former, but a tracer does.
_OF_THE_KERNEL = {
    512: "ERESTARTSYS",
    513: "ERESTARTNOINTR",
    514: "ERESTARTNOHAND",
    515: "ENOIOCTLCMD",
    516: "ERESTART_RESTARTBLOCK",
    517: "EPROBE_DEFER",
    518: "EOPENSTALE",
    519: "ENOPARAM",
    521: "EBADHANDLE",
    522: "ENOTSYNC",
    523: "EBADCOOKIE",
    524: "ENOTSUPP",
    525: "ETOOSMALL",
    526: "ESERVERFAULT",
    527: "EBADTYPE",
    528: "EJUKEBOX",
    529: "EIOCBQUEUED",
    530: "ERECALLCONFLICT",
    531: "ENOGRACE",
}
NAMES: Mapping[int, str] = {**errorcode, **_OF_THE_KERNEL, **_PREFERRED}


_NAMELESS = "ERRNO_"


def errno_name(result: int) -> str:
    """Return the name of the error of a failed call."""
    return NAMES.get(-result) or f"{_NAMELESS}{-result}"


def errno_number(name: str) -> int | None:
    """Return the number of an error by its name, or None if there is no such name."""
    if name.startswith(_NAMELESS) and name.removeprefix(_NAMELESS).isdecimal():
        return int(name.removeprefix(_NAMELESS))
    return next((number for number, each in NAMES.items() if each == name), None)
