"""Tracing a new process up to the exit of its execve, which is the first call that is counted."""

import os

from syswatch.tracer.errors import LaunchError
from syswatch.tracer.launch import NOT_EXECUTABLE, Launch

from .abi import (
    INFO_SIZE,
    OP_ENTRY,
    PTRACE_GET_SYSCALL_INFO,
    PTRACE_SYSCALL,
    WALL,
    interrupt,
    ptrace,
    read_entry,
    request,
)
from .calls import Effect
from .loop import Loop
from .stops import Stop, read_status
from .threads import Thread


def follow_to_execve(loop: Loop, thread: Thread, launch: Launch) -> None:
    """Let a seized process become the command, and count its execve."""
    interrupt(thread.tid)
    released = has_executed = False
    while True:
        report = read_status(os.waitpid(thread.tid, WALL)[1])
        match report.stop:
            case Stop.EXITED | Stop.KILLED:
                raise launch.read_error() or LaunchError(
                    "the command ended before it began", NOT_EXECUTABLE
                )
            case Stop.EXEC:
                loop.lifecycle.executed(thread.tid, thread.tid)
                launch.close()
                has_executed = True
            case Stop.SYSCALL if has_executed and thread.call is not None:
                loop.leave_call(thread, thread.call)
                return
            case Stop.SYSCALL if _is_execve(loop, thread):
                loop.enter_call(thread)
                continue
            case Stop.SIGNAL_DELIVERY:
                request(PTRACE_SYSCALL, thread.tid, 0, report.number)
                continue
        request(PTRACE_SYSCALL, thread.tid, 0, 0)
        if not released:
            launch.release()
            released = True


def _is_execve(loop: Loop, thread: Thread) -> bool:
    ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, thread.entry_ref)
    kind, architecture, number = read_entry(thread.entry)
    if kind != OP_ENTRY:
        return False
    call = loop.calls.known[architecture].get(number) or loop.calls.describe(architecture, number)
    return call.effect is Effect.EXEC
