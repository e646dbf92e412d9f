"""The names of errors."""

from errno import errorcode

# What a system call may return besides the errnos that programs know: how the kernel is to
# restart it after a signal.  Programs never see these; a tracer does.
_RESTARTS = {
    512: "ERESTARTSYS",
    513: "ERESTARTNOINTR",
    514: "ERESTARTNOHAND",
    515: "ENOIOCTLCMD",
    516: "ERESTART_RESTARTBLOCK",
}


def errno_name(result: int) -> str:
    """Return the name of the error that a failed call returned."""
    return errorcode.get(-result) or _RESTARTS.get(-result) or f"ERRNO_{-result}"
