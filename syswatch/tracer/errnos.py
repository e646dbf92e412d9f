"""The names of errors."""

from collections.abc import Mapping
from errno import errorcode

# Two names that programs know are one number; these are the names that Linux gives it.
_PREFERRED = {11: "EAGAIN", 35: "EDEADLK", 95: "EOPNOTSUPP"}
# What a system call may return besides the errnos that programs know: how the kernel is to
# restart it after a signal, and what should not have left the kernel.  Programs never see the
# former; a tracer does.
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


def errno_name(result: int) -> str:
    """Return the name of the error that a failed call returned."""
    return NAMES.get(-result) or f"ERRNO_{-result}"
