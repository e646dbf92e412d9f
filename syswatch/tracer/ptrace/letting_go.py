"""Letting traced threads go, each in the state it would be in without us."""

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

# A thread that waits for the child of its vfork cannot be stopped before that child goes on.
# What has not stopped by then is let go by the kernel, when this process ends.
_PATIENCE_NS = 1_000_000_000
_ENDS = frozenset({Stop.EXITED, Stop.KILLED})


def let_all_go(threads: Threads) -> None:
    """Stop every thread and detach from it."""
    deadline_ns = time.monotonic_ns() + _PATIENCE_NS
    remaining = {thread.tid for thread in threads if interrupt(thread.tid)}
    released: set[int] = set()
    status = ctypes.c_int()
    while remaining and time.monotonic_ns() < deadline_ns:
        # The clock of the loop still ticks, so this does not wait for ever.
        tid = waitpid(-1, ctypes.byref(status), WALL)
        if tid > 0:
            released.add(tid)
            # A new thread may have stopped, and gone, before the stop that announces it.
            remaining = (remaining | let_go(tid, status.value)) - released
        elif not has_children():
            break


def let_go(tid: int, status: int) -> frozenset[int]:
    """Detach from a thread that stopped; return which others have come to be traced by its stop."""
    report = read_status(status)
    born = event_message(tid) if report.stop is Stop.NEW_CHILD else 0
    if report.stop not in _ENDS:
        detach(tid, report.number if report.stop is Stop.SIGNAL_DELIVERY else 0)
    return frozenset({born} if born else ())


def stay_without_watching() -> None:
    """
    Let threads go on that cannot be let go, until the last of them has ended.

    Their seccomp filter asks a tracer about some calls; without one, those calls would fail.
    """
    status = ctypes.c_int()
    # A thread that is in a call stops once more, at its end.
    while has_children():
        tid = waitpid(-1, ctypes.byref(status), WALL)
        if tid <= 0:
            continue
        report = read_status(status.value)
        if report.stop is Stop.GROUP_STOP:
            listen(tid)
        elif report.stop not in _ENDS:
            request(
                PTRACE_CONT, tid, 0, report.number if report.stop is Stop.SIGNAL_DELIVERY else 0
            )
