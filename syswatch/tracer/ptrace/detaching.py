"""Detaching from traced threads, which continue as if they had never been traced."""

import ctypes
import time

from .abi import (
    PTRACE_CONT,
    WALL,
    detach,
    event_message,
    has_children,
    interrupt,
    listen,
    request,
    waitpid,
)
from .stops import Stop, read_status
from .threads import Threads

# A thread in vfork cannot be stopped before its child calls execve or exit.  The kernel detaches
# threads that have not stopped by then when this process ends.
_TIMEOUT_NS = 1_000_000_000
_ENDS = frozenset({Stop.EXITED, Stop.KILLED})


def detach_all(threads: Threads) -> None:
    """Stop every thread and detach from it."""
    deadline_ns = time.monotonic_ns() + _TIMEOUT_NS
    remaining = {thread.tid for thread in threads if interrupt(thread.tid)}
    released: set[int] = set()
    status = ctypes.c_int()
    while remaining and time.monotonic_ns() < deadline_ns:
        # The timer of the loop is still running, so this does not wait forever.
        tid = waitpid(-1, ctypes.byref(status), WALL)
        if tid > 0:
            released.add(tid)
            # A new thread may have stopped and been detached before the stop that reports it.
            remaining = (remaining | detach_stopped(tid, status.value)) - released
        elif not has_children():
            break


def detach_stopped(tid: int, status: int) -> frozenset[int]:
    """Detach from a stopped thread; return the ID of a child that this stop reports, if any."""
    report = read_status(status)
    born = event_message(tid) if report.stop is Stop.NEW_CHILD else 0
    if report.stop not in _ENDS:
        detach(tid, report.number if report.stop is Stop.SIGNAL_DELIVERY else 0)
    return frozenset({born} if born else ())


def resume_until_ended() -> None:
    """
    Resume filtered threads at every stop until the last of them has ended.

    Their seccomp filter passes some calls to a tracer; without one, these calls would fail.
    """
    status = ctypes.c_int()
    # A thread that is in a call stops again at its exit.
    while has_children():
        tid = waitpid(-1, ctypes.byref(status), WALL)
        if tid > 0:
            resume_stopped(tid, status.value)


def resume_stopped(tid: int, status: int) -> None:
    """Resume a stopped thread of a filtered command, which must keep its tracer."""
    report = read_status(status)
    if report.stop is Stop.GROUP_STOP:
        listen(tid)
    elif report.stop not in _ENDS:
        request(PTRACE_CONT, tid, 0, report.number if report.stop is Stop.SIGNAL_DELIVERY else 0)
