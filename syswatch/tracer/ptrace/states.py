"""
The states of a traced thread: what the loop does at each stop, and the state that follows.

The loop is code, because looking rows up at each stop would slow every traced call.  A test feeds
it each stop in each state and compares what it does with these rows; another one compares the rows
with the table in the documentation.
"""

import enum

from syswatch.base.classes import frozen


class State(enum.Enum):
    """What a thread is doing, as far as the tracer knows."""

    # It has stopped before the kernel reported the clone or fork that created it.
    NEW = "new"
    RUNNING = "running"
    # It was in a system call when it was attached to; seizing it has interrupted the call.
    INTERRUPTED = "interrupted"
    IN_CALL = "in call"
    # In the interrupted call, which the kernel has restarted: when it began is not known.
    UNTIMED = "in untimed call"
    ENDED = "ended"


class Event(enum.Enum):
    """A stop as the loop tells them apart; PTRACE_GET_SYSCALL_INFO separates entry and exit."""

    ENTRY = "entry to a call"
    EXIT = "exit from a call"
    SECCOMP = "seccomp filter"
    SIGNAL = "signal delivery"
    GROUP_STOP = "group stop"
    TRAP = "trap"
    CHILD = "new child"
    EXEC = "exec"
    END = "end"


class Action(enum.Enum):
    """What the loop does; unless it says otherwise, the thread is resumed."""

    ENTER = "note the call and the time"
    COUNT = "count the call"
    COUNT_UNTIMED = "count the call without a duration"
    RESUME = "resume only"
    DELIVER = "deliver the signal"
    LISTEN = "leave it stopped (PTRACE_LISTEN)"
    ADD_CHILD = "add the child"
    RENAME = "change its ID to that of the process"
    FORGET = "forget the thread"
    SHOW_UNFINISHED = "log the call as unfinished, forget the thread"


@frozen
class Row:
    """One line of the table; without a next state, the thread stays in its state."""

    event: Event
    states: tuple[State, ...]
    action: Action
    next: State | None = None
    note: str = ""


_IDLE = (State.NEW, State.RUNNING)
_CALLING = (State.IN_CALL, State.UNTIMED)
_OUTSIDE = (*_IDLE, State.INTERRUPTED)
_ALL = (*_OUTSIDE, *_CALLING)

ROWS = (
    Row(Event.ENTRY, _IDLE, Action.ENTER, State.IN_CALL),
    Row(
        Event.ENTRY,
        (State.INTERRUPTED,),
        Action.ENTER,
        State.UNTIMED,
        "if it is the interrupted call or `restart_syscall`, else *in call*",
    ),
    Row(Event.ENTRY, _CALLING, Action.ENTER, None, "the kernel reported no exit"),
    Row(Event.EXIT, _IDLE, Action.RESUME, State.RUNNING, "from the call that created the thread"),
    Row(Event.EXIT, (State.INTERRUPTED,), Action.COUNT_UNTIMED, State.RUNNING),
    Row(Event.EXIT, (State.IN_CALL,), Action.COUNT, State.RUNNING),
    Row(Event.EXIT, (State.UNTIMED,), Action.COUNT_UNTIMED, State.RUNNING),
    Row(Event.SECCOMP, _IDLE, Action.ENTER, State.IN_CALL),
    Row(Event.SECCOMP, (State.INTERRUPTED,), Action.ENTER, State.UNTIMED, "as at an entry"),
    Row(Event.SECCOMP, _CALLING, Action.RESUME, None, "its entry has been reported"),
    Row(Event.SIGNAL, _ALL, Action.DELIVER),
    Row(Event.GROUP_STOP, _ALL, Action.LISTEN),
    Row(
        Event.TRAP,
        _ALL,
        Action.RESUME,
        None,
        "an interrupted call that has returned is counted, and the thread is *running*",
    ),
    Row(Event.CHILD, _ALL, Action.ADD_CHILD),
    Row(Event.EXEC, _ALL, Action.RENAME, None, "the exit from `execve` follows"),
    Row(Event.END, _OUTSIDE, Action.FORGET, State.ENDED),
    Row(
        Event.END,
        _CALLING,
        Action.SHOW_UNFINISHED,
        State.ENDED,
        "`exit` and `exit_group` have been logged at their entry",
    ),
)
