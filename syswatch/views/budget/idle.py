"""
Whether a wait is idle or blocked.

A thread is idle while it waits for work, and blocked while it waits within a piece of work.  The
first rule that matches decides; each one has a reason, which views show.  To add a rule, add it to
`RULES`.
"""

from collections.abc import Callable, Mapping

import attrs

from syswatch.model.activity import NO_SUMS
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.preferences import Preferences
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait
from syswatch.model.times import SECOND_NS

from .call_families import ACCEPTS, POLLS, SIGNAL_WAITS, WRITES, plain
from .memory import once_per_snapshot
from .scope import info_of, sums_of_waits, waiting_now
from .states import TimeState

# Few programs hold a lock that long; a worker may well wait that long for work.
IDLE_FUTEX_NS = SECOND_NS
_EVENTS = frozenset(
    {ObjectKind.EVENTFD, ObjectKind.SIGNALFD, ObjectKind.INOTIFY, ObjectKind.SIGNAL}
)
_MESSAGES = frozenset({ObjectKind.PIPE, ObjectKind.UNIX})


@attrs.frozen
class WaitFacts:
    """What the rules consider: the waits for one object in calls of one name."""

    call: str
    info: ObjectInfo
    # The average, calls in progress included.
    average_ns: int = 0
    # To this object, by any call.
    bytes_out: int = 0

    @property
    def kind(self) -> ObjectKind:
        """The kind of the object."""
        return self.info.kind

    @property
    def polls(self) -> bool:
        """Return whether the call waits for several descriptors."""
        return self.call in POLLS


@attrs.frozen
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


def _is_for_datagram(wait: WaitFacts) -> bool:
    return wait.kind is ObjectKind.UDP and not wait.bytes_out


def _is_any(_wait: WaitFacts) -> bool:
    return True


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


@attrs.frozen
class Judgement:
    """Whether a wait is idle or blocked, and why."""

    state: TimeState
    reason: str


def judge(wait: WaitFacts, preferences: Preferences) -> Judgement:
    """Return whether a wait is idle or blocked; what people declared comes first."""
    for pattern in preferences.waits:
        if pattern.matches(wait.call, wait.info):
            return _judgement(is_idle=pattern.is_idle, reason=pattern.text)
    rule = next(rule for rule in RULES if rule.matches(wait))
    return _judgement(is_idle=rule.is_idle, reason=rule.reason)


def _judgement(*, is_idle: bool, reason: str) -> Judgement:
    return Judgement(TimeState.IDLE if is_idle else TimeState.BLOCKED, reason)


# Whether these are idle depends on more than the call, the kind and the side.
_SPECIAL = frozenset({ObjectKind.FUTEX, ObjectKind.UDP})


class _Judgements(dict[tuple[int, str], Judgement]):
    """The judgements by object and call, made when they are first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._usual: dict[tuple[ObjectKind, Side, str], Judgement] = {}
        self._bytes_out: dict[int, int] | None = None
        self._in_progress = _in_progress(snapshot)

    def __missing__(self, key: tuple[int, str]) -> Judgement:
        """Judge the waits for an object in a call."""
        number, name = key
        info, call = info_of(self._snapshot, number), plain(name)
        preferences = self._snapshot.preferences
        if preferences.waits or info.kind in _SPECIAL:
            found = judge(self._facts(Wait(number, name), call, info), preferences)
        else:
            usual = info.kind, info.side, call
            if usual not in self._usual:
                self._usual[usual] = judge(WaitFacts(call, info), preferences)
            found = self._usual[usual]
        self[key] = found
        return found

    def _facts(self, wait: Wait, call: str, info: ObjectInfo) -> WaitFacts:
        sums = sums_of_waits(self._snapshot).get(wait, NO_SUMS)
        number, spent_ns = self._in_progress.get(wait, (0, 0))
        waits = sums.waits + number
        average_ns = (sums.waiting_ns + spent_ns) // waits if waits else 0
        bytes_out = self._bytes_to(wait.object) if info.kind is ObjectKind.UDP else 0
        return WaitFacts(call, info, average_ns, bytes_out)

    def _bytes_to(self, number: int) -> int:
        if self._bytes_out is None:
            self._bytes_out = {}
            for key, sums in self._snapshot.sums.activity.items():
                if sums.bytes_out:
                    sent = self._bytes_out.get(key.object, 0) + sums.bytes_out
                    self._bytes_out[key.object] = sent
        return self._bytes_out.get(number, 0)


def _in_progress(snapshot: Snapshot) -> Mapping[Wait, tuple[int, int]]:
    """Return how many threads wait for each object in each call, and for how long together."""
    found: dict[Wait, tuple[int, int]] = {}
    for _, thread, spent_ns in waiting_now(snapshot):
        wait = Wait(thread.object, thread.call)
        number, before_ns = found.get(wait, (0, 0))
        found[wait] = number + 1, before_ns + spent_ns
    return found


@attrs.frozen
class Judge:
    """The judgements on all waits of a snapshot."""

    _known: _Judgements

    def __call__(self, wait: tuple[int, str]) -> Judgement:
        """Return the judgement on the waits for an object in a call."""
        return self._known[wait]

    def is_idle(self, wait: tuple[int, str]) -> bool:
        """Return whether the waits for an object in a call are idle."""
        return self._known[wait].state is TimeState.IDLE


@once_per_snapshot
def judge_of(snapshot: Snapshot) -> Judge:
    """Return the judge of a snapshot."""
    return Judge(_Judgements(snapshot))
