"""
A process that takes over a filtered command when its tracer is killed.

Without a tracer, the calls that the filter selects would fail.  So the successor traces the tracer,
but only its exit event: the kernel stops a traced process that is about to end, even if it was
killed, while its own tracees are still attached.  The successor then stops all threads of the
command, lets the tracer end, and seizes the threads before any of them runs again.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from functools import partial

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
from .background import run_in_background
from .detaching import resume_until_ended
from .stops import Stop, read_status

_READY = b"."
# Only reached on an overloaded machine; calls of threads that have not stopped by then would fail.
_TIMEOUT_NS = 10_000_000_000
_POLL_S = 0.001
# In none of these states can a thread make a call: stopped, about to be, or waiting for a vfork.
_STOPPED_STATES = frozenset("tTZXD")


def start_successor(options: int) -> bool:
    """
    Start a successor that traces with the same options; return whether the kernel allows it.

    With Yama, a process may only be traced by the process that started it.
    """
    read_end, write_end = os.pipe()
    run_in_background(partial(_succeed, os.getpid(), write_end, options))
    os.close(write_end)
    with open(read_end, "rb") as pipe:  # noqa: PTH123  a descriptor
        is_ready = pipe.read() == _READY
    if is_ready:
        # Each SIGCHLD would stop the tracer, and there is one for each process that ends.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    return is_ready


def _succeed(tracer: int, ready: int, options: int) -> None:
    """Wait until a tracer is about to end, and take its place."""
    seize(tracer, O_TRACEEXIT)
    os.write(ready, _READY)
    # An inherited pipe would not reach its end while this process has it open.
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))
    if _await_end(tracer):
        _take_over(tracer, options)


def _await_end(tracer: int) -> bool:
    """Wait until a tracer is about to end; return False if it has ended without that event."""
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
    orphans = _stop_all(tracer)
    request(PTRACE_CONT, tracer, 0, 0)
    os.waitpid(tracer, WALL)
    # Any of them may have ended meanwhile.
    for tid in orphans:
        with contextlib.suppress(OSError):
            seize(tid, options)
    # This cancels all requested stops, including pending ones.
    for pid in set(orphans.values()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    resume_until_ended()


def _stop_all(tracer: int) -> dict[int, int]:
    """Stop every thread that a tracer traces; return them with their processes."""
    deadline_ns = time.monotonic_ns() + _TIMEOUT_NS
    asked: dict[int, int] = {}
    while time.monotonic_ns() < deadline_ns:
        found = dict(_traced_by(tracer))
        for tid, pid in found.items():
            if tid not in asked:
                stop_thread(pid, tid)
        is_settled = found.keys() <= asked.keys() and all(map(_is_stopped, found))
        asked |= found
        if is_settled:
            break
        time.sleep(_POLL_S)
    return asked


def _is_stopped(tid: int) -> bool:
    stat = read_stat(tid)
    return stat is None or stat.state in _STOPPED_STATES


def _traced_by(tracer: int) -> Iterator[tuple[int, int]]:
    for pid in pids():
        identity = identify(pid)
        if identity is not None and identity.tracer == tracer:
            for tid in thread_ids(identity.pid):
                yield tid, identity.pid
