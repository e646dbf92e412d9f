"""
A process that takes a filtered command over when its tracer is killed.

Where no tracer is left to ask, the calls that the filter asks about fail.  So the successor traces
the tracer, though nothing of it but its end.  The kernel stops a traced process that is about to
end, even one that was killed, while all that it traces itself is still its own: so no thread of
the command goes past the filter yet.  In that moment the successor stops all of them, lets the
tracer end, and takes them over before any of them runs again.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from syswatch.machine.proc import identify, pids, read_stat, thread_ids

from .abi import (
    O_TRACEEXIT,
    PTRACE_CONT,
    WALL,
    listen,
    request,
    seize,
    stop_thread,
)
from .letting_go import stay_without_watching
from .stops import Stop, read_status

_READY = b"."
# Nobody waits for it on a machine with time to spare; on another, threads that went on before they
# have stopped would have calls that fail.
_PATIENCE_NS = 10_000_000_000
_LOOK_S = 0.001
# In none of these states can a thread make a call: stopped, about to be, or waiting for a vfork.
_STILL = frozenset("tTZXD")


def appoint(options: int) -> bool:
    """
    Post a successor that traces with the same options; say whether it is allowed to.

    The kernel may let nobody trace a process but those who started it (Yama).
    """
    read_end, write_end = os.pipe()
    tracer = os.getpid()
    child = os.fork()
    if child == 0:
        # Forked twice, it is no child of the tracer, which waits for all of its children.
        if os.fork() == 0:
            _succeed(tracer, write_end, options)
        os._exit(0)
    os.close(write_end)
    os.waitpid(child, 0)
    with open(read_end, "rb") as pipe:  # noqa: PTH123  a descriptor
        is_ready = pipe.read() == _READY
    if is_ready:
        # Each signal would stop the tracer, and there is one for each process that ends.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    return is_ready


def _succeed(tracer: int, ready: int, options: int) -> None:
    """Wait for the end of a tracer, and take its place; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        seize(tracer, O_TRACEEXIT)
        os.write(ready, _READY)
        # It must keep nothing open that somebody waits for the end of.
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        if _await_end(tracer):
            _take_over(tracer, options)
    finally:
        os._exit(0)


def _await_end(tracer: int) -> bool:
    """Let a tracer do what it does; return when it is about to end, False when it has ended."""
    while True:
        status = os.waitpid(tracer, WALL)[1]
        report = read_status(status)
        match report.stop:
            case Stop.EXITED | Stop.KILLED:
                return False
            case Stop.GROUP_STOP:
                listen(tracer)
            case Stop.SIGNAL_DELIVERY:
                request(PTRACE_CONT, tracer, 0, report.number)
            case Stop.ENDING:
                return True
            case _:
                request(PTRACE_CONT, tracer, 0, 0)


def _take_over(tracer: int, options: int) -> None:
    orphans = _hold(tracer)
    request(PTRACE_CONT, tracer, 0, 0)
    os.waitpid(tracer, WALL)
    # Any of them may have ended in the meantime.
    for tid in orphans:
        with contextlib.suppress(OSError):
            seize(tid, options)
    # This takes back all stops that were asked for, also those that have not begun.
    for pid in set(orphans.values()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    stay_without_watching()


def _hold(tracer: int) -> dict[int, int]:
    """Stop every thread that a tracer traces; return them with their processes."""
    deadline_ns = time.monotonic_ns() + _PATIENCE_NS
    asked: dict[int, int] = {}
    while time.monotonic_ns() < deadline_ns:
        found = dict(_traced_by(tracer))
        for tid, pid in found.items():
            if tid not in asked:
                stop_thread(pid, tid)
        is_settled = found.keys() <= asked.keys() and all(map(_is_still, found))
        asked |= found
        if is_settled:
            break
        time.sleep(_LOOK_S)
    return asked


def _is_still(tid: int) -> bool:
    stat = read_stat(tid)
    return stat is None or stat.state in _STILL


def _traced_by(tracer: int) -> Iterator[tuple[int, int]]:
    for pid in pids():
        identity = identify(pid)
        if identity is not None and identity.tracer == tracer:
            for tid in thread_ids(identity.pid):
                yield tid, identity.pid
