"""
The ways in which a traced thread can stop or end, as its wait status shows them.

ptrace(2) calls the first six "stops"; a thread in one of them does nothing until it is resumed.
"""

import enum
import os
import signal

from syswatch.base.classes import frozen

# A system call stop, because PTRACE_O_TRACESYSGOOD sets bit 7 of the signal.  By far the most
# frequent status, so the loop compares with it first.
SYSCALL_STATUS = (signal.SIGTRAP | 0x80) << 8 | 0x7F

# The third byte of a wait status: which event stopped the thread.
_EVENT_STOP = 128
_STOPPING = frozenset({signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})


class Stop(enum.Enum):
    """The kind of a stop."""

    # The entry to or the exit from a system call.  The status does not say which of the two, and
    # counting them goes wrong after execve and signals: PTRACE_GET_SYSCALL_INFO tells them apart.
    SYSCALL = "system call"
    # A signal is about to be delivered.  Resuming without it would swallow it.
    SIGNAL_DELIVERY = "signal delivery"
    # A stopping signal took effect on the whole process.  Resuming would undo the user's Ctrl+Z, so
    # the thread must be told to PTRACE_LISTEN; only a seized thread can be.
    GROUP_STOP = "group stop"
    # A new thread's first stop, the answer to PTRACE_INTERRUPT, or SIGCONT ended a group-stop.
    # There is no signal to deliver.
    TRAP = "trap"
    # fork, vfork or clone has created a thread, which is traced from its first instruction; its own
    # first stop may be reported before this one.
    NEW_CHILD = "new child"
    # execve succeeded.  All other threads of the process are gone, and the caller has become the
    # leader: its thread id is the process id now, whatever it was before.
    EXEC = "exec"
    # The seccomp filter has stopped a call, which has not begun.
    SECCOMP = "seccomp"
    # The thread is about to end, even if it was killed, and still traces its own tracees.  Only a
    # successor requests this event, of its tracer.
    ENDING = "about to end"
    # Another event; none was requested.
    OTHER_EVENT = "other event"
    # The thread has ended.  A leader that ends before its threads reports this only after the last
    # of them; a thread replaced by another thread's execve never does.
    EXITED = "exited"
    KILLED = "killed"


_EVENTS = {
    1: Stop.NEW_CHILD,  # PTRACE_EVENT_FORK
    2: Stop.NEW_CHILD,  # PTRACE_EVENT_VFORK
    3: Stop.NEW_CHILD,  # PTRACE_EVENT_CLONE
    4: Stop.EXEC,  # PTRACE_EVENT_EXEC
    6: Stop.ENDING,  # PTRACE_EVENT_EXIT
    7: Stop.SECCOMP,  # PTRACE_EVENT_SECCOMP
}


@frozen
class Report:
    """A decoded wait status: the kind of stop, and its signal, event or exit code."""

    stop: Stop
    number: int = 0


def read_status(status: int) -> Report:
    """Decode a wait status."""
    if os.WIFEXITED(status):
        return Report(Stop.EXITED, os.WEXITSTATUS(status))
    if os.WIFSIGNALED(status):
        return Report(Stop.KILLED, os.WTERMSIG(status))
    number = os.WSTOPSIG(status)
    event = status >> 16
    if event == _EVENT_STOP:
        return Report(Stop.GROUP_STOP if number in _STOPPING else Stop.TRAP, number)
    if event:
        return Report(_EVENTS.get(event, Stop.OTHER_EVENT), event)
    if status == SYSCALL_STATUS:
        return Report(Stop.SYSCALL)
    return Report(Stop.SIGNAL_DELIVERY, number)
