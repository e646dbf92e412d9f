"""
The rules that decide whether a wait is idle or blocked.

The first rule that matches decides; each one has a reason, which views show.  To add a rule, add it
to `RULES`.
"""

from collections.abc import Callable

from syswatch.base.classes import frozen
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.times import SECOND_NS

from .call_families import ACCEPTS, POLLS, SIGNAL_WAITS, WRITES

# Few programs hold a lock that long; a worker may well wait that long for work.
IDLE_FUTEX_NS = SECOND_NS
_EVENTS = frozenset(
    {ObjectKind.EVENTFD, ObjectKind.SIGNALFD, ObjectKind.INOTIFY, ObjectKind.SIGNAL}
)
_MESSAGES = frozenset({ObjectKind.PIPE, ObjectKind.UNIX})


@frozen
class WaitFacts:
    """What the rules consider: the waits for one object in calls of one name."""

    call: str
    info: ObjectInfo
    # The average, calls in progress included.
    average_ns: int = 0
    # To this object, by any call.
    bytes_out: int = 0
    # Whether the main thread waits, or all threads of a process do.
    for_threads: bool = False
    # Whether the polls of a process with children have been ended by signals only.
    for_children: bool = False

    @property
    def kind(self) -> ObjectKind:
        """The kind of the object."""
        return self.info.kind

    @property
    def polls(self) -> bool:
        """Return whether the call waits for several descriptors."""
        return self.call in POLLS


@frozen
class IdleRule:
    """One rule: when it matches, whether such waits are idle, and why."""

    name: str
    condition: str
    reason: str
    is_idle: bool
    matches: Callable[[WaitFacts], bool]


def _is_accept(wait: WaitFacts) -> bool:
    return wait.call in ACCEPTS or wait.info.side is Side.LISTENING


def _is_tick(wait: WaitFacts) -> bool:
    return wait.kind is ObjectKind.TIMERFD or (wait.polls and wait.kind is ObjectKind.TIMEOUT)


def _is_main_poll(wait: WaitFacts) -> bool:
    # A poll in progress has no object yet, unless it waits for one descriptor only.
    return wait.polls and wait.kind in (ObjectKind.EPOLL, ObjectKind.NONE)


def _is_for_request(wait: WaitFacts) -> bool:
    return wait.info.side is Side.SERVER and wait.call not in WRITES


def _is_for_answer(wait: WaitFacts) -> bool:
    return wait.info.side in (Side.CLIENT, Side.SERVER)


def _is_for_event(wait: WaitFacts) -> bool:
    return wait.kind in _EVENTS or wait.call in SIGNAL_WAITS


def _is_for_input(wait: WaitFacts) -> bool:
    return wait.kind is ObjectKind.TTY and wait.call not in WRITES


def _is_for_message(wait: WaitFacts) -> bool:
    return wait.kind in _MESSAGES and wait.polls


def _is_long_futex(wait: WaitFacts) -> bool:
    return wait.kind is ObjectKind.FUTEX and wait.average_ns >= IDLE_FUTEX_NS


def _is_for_threads(wait: WaitFacts) -> bool:
    return wait.for_threads and _is_long_futex(wait)


def _is_for_children(wait: WaitFacts) -> bool:
    return wait.for_children


def _is_for_datagram(wait: WaitFacts) -> bool:
    return wait.kind is ObjectKind.UDP and not wait.bytes_out


def _is_any(_wait: WaitFacts) -> bool:
    return True


FOR_THREADS = IdleRule(
    "threads",
    "a futex for which a main thread waits, or all threads of a process do, unless the process"
    " waits for work in another way",
    "waits for other threads",
    is_idle=False,
    matches=_is_for_threads,
)
FOR_CHILDREN = IdleRule(
    "children",
    "poll, select and epoll_wait that only signals have ended, in a process with children",
    "waits for child processes",
    is_idle=False,
    matches=_is_for_children,
)
RULES = (
    IdleRule(
        "connections",
        "accept, and any wait for a listening socket",
        "waits for connections",
        is_idle=True,
        matches=_is_accept,
    ),
    IdleRule(
        "timer",
        "poll, select and epoll_wait that timed out, and any wait for a timerfd",
        "timer tick",
        is_idle=True,
        matches=_is_tick,
    ),
    FOR_CHILDREN,
    IdleRule(
        "event loop",
        "poll, select and epoll_wait that nothing known has ended",
        "main poll of an event loop",
        is_idle=True,
        matches=_is_main_poll,
    ),
    IdleRule(
        "requests",
        "a connection that the peer began, except in calls that send",
        "waits for requests",
        is_idle=True,
        matches=_is_for_request,
    ),
    IdleRule(
        "answers",
        "a connection that the program began, or one in calls that send",
        "waits for the peer",
        is_idle=False,
        matches=_is_for_answer,
    ),
    IdleRule(
        "events",
        "eventfd, signalfd, a file watch, and calls that wait for a signal",
        "waits for events",
        is_idle=True,
        matches=_is_for_event,
    ),
    IdleRule(
        "input",
        "a terminal, except in calls that write",
        "waits for input",
        is_idle=True,
        matches=_is_for_input,
    ),
    IdleRule(
        "messages",
        "a pipe or a Unix socket in poll, select and epoll_wait",
        "waits for messages",
        is_idle=True,
        matches=_is_for_message,
    ),
    FOR_THREADS,
    IdleRule(
        "worker",
        "a futex for which waits take a second or more on average",
        "a worker without work",
        is_idle=True,
        matches=_is_long_futex,
    ),
    IdleRule(
        "datagrams",
        "a UDP peer to which nothing was sent",
        "waits for datagrams",
        is_idle=True,
        matches=_is_for_datagram,
    ),
    IdleRule(
        "work",
        "everything else, such as a disk, a lock, a sleep or a child process",
        "waits within its work",
        is_idle=False,
        matches=_is_any,
    ),
)
