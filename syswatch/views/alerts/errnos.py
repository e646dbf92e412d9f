"""What the errnos of failed calls mean for alerts."""

from .advice import RESTARTED, is_harmless

# What programs run into in normal work: failing is how they find out.
ROUTINE_ERRNOS = frozenset(
    {
        "EAGAIN",
        "ECHILD",
        "EEXIST",
        "EINPROGRESS",
        "EINTR",
        "ENODATA",
        "ENOENT",
        "ENOTTY",
        *RESTARTED,
        "ESRCH",
        "ETIMEDOUT",
    }
)
# Answers rather than failures, whatever the call: no terminal, no such attribute, connecting.
HARMLESS_ERRNOS = frozenset({"EINPROGRESS", "ENODATA", "ENOTTY", *RESTARTED})
# A resource of the machine is exhausted or broken: one failure is enough for an alert.
EXHAUSTION_ERRNOS = frozenset(
    {"EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS", "EUCLEAN"}
)
# The dynamic linker looks for this file when any program starts, and few machines have it.
_RARELY_EXISTS = frozenset({"/etc/ld.so.preload"})


def is_always_harmless(call: str, errno: str, path: str = "") -> bool:
    """Return whether a failure with this errno is part of normal work however often it happens."""
    is_search = errno == "ENOENT" and path in _RARELY_EXISTS
    return is_search or errno in HARMLESS_ERRNOS or is_harmless(call, errno)


def is_routine(call: str, errno: str) -> bool:
    """Return whether a failure with this errno is normal for the call."""
    return errno in ROUTINE_ERRNOS or is_harmless(call, errno)
