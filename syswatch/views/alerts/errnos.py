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
# A resource of the machine is exhausted or broken: one failure is enough for an alert.
EXHAUSTION_ERRNOS = frozenset(
    {"EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS", "EUCLEAN"}
)


def is_routine(call: str, errno: str) -> bool:
    """Return whether a failure with this errno is normal for the call."""
    return errno in ROUTINE_ERRNOS or is_harmless(call, errno)
