"""The way of a new process from its gate to the end of its execve, which nobody else is shown."""

import os

from syswatch.tracer.launch import NOT_EXECUTABLE, Launch, LaunchError

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
from .calls import Duty
from .loop import Loop
from .stops import Stop, read_status
from .threads import Thread


def escort(loop: Loop, thread: Thread, launch: Launch) -> None:
    """Bring a seized process to where it is the command; its execve is the first call counted."""
    interrupt(thread.tid)
    opened = begun = False
    while True:
        report = read_status(os.waitpid(thread.tid, WALL)[1])
        match report.stop:
            case Stop.EXITED | Stop.KILLED:
                raise launch.trouble() or LaunchError(
                    "the command ended before it began", NOT_EXECUTABLE
                )
            case Stop.EXEC:
                loop.lifecycle.executed(thread.tid, thread.tid)
                launch.close()
                begun = True
            case Stop.SYSCALL if begun and thread.call is not None:
                loop.leave_call(thread, thread.call)
                return
            case Stop.SYSCALL if _is_execve(loop, thread):
                loop.enter_call(thread)
                continue
            case Stop.SIGNAL_DELIVERY:
                request(PTRACE_SYSCALL, thread.tid, 0, report.number)
                continue
        request(PTRACE_SYSCALL, thread.tid, 0, 0)
        if not opened:
            launch.go()
            opened = True


def _is_execve(loop: Loop, thread: Thread) -> bool:
    ptrace(PTRACE_GET_SYSCALL_INFO, thread.tid, INFO_SIZE, thread.entry_ref)
    kind, architecture, number = read_entry(thread.entry)
    if kind != OP_ENTRY:
        return False
    call = loop.calls.known[architecture].get(number) or loop.calls.meet(architecture, number)
    return call.duty is Duty.EXECS
