"""
Whether a wait is idle or blocked.

A thread is idle while it waits for work, and blocked while it waits within a piece of work.
"""

from collections.abc import Mapping

from syswatch.base.classes import frozen
from syswatch.model.activity import NO_SUMS
from syswatch.model.catalog import plain_name
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.preferences import Preferences
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .child_waits import is_for_children
from .idle_rules import FOR_CHILDREN, FOR_THREADS, RULES, WaitFacts
from .memory import once_per_snapshot
from .scope import info_of, sums_of_waits, waiting_now
from .states import TimeState
from .thread_waits import waits_for_threads


@frozen
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
_SPECIAL = frozenset({ObjectKind.NONE, ObjectKind.FUTEX, ObjectKind.UDP})


class _Judgements(dict[tuple[int, str], Judgement]):
    """The judgements by object and call, made when they are first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._usual: dict[tuple[ObjectKind, Side, str], Judgement] = {}
        self._bytes_out: dict[int, int] | None = None
        self._in_progress = _in_progress(snapshot)
        self._longest: dict[Wait, int] | None = None
        self._for_threads: frozenset[Wait] | None = None

    def __missing__(self, key: tuple[int, str]) -> Judgement:
        """Judge the waits for an object in a call."""
        number, name = key
        info, call = info_of(self._snapshot, number), plain_name(name)
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
        if info.kind is ObjectKind.FUTEX:
            average_ns, for_threads = self._average_ns(wait), wait in self._waits_for_threads()
            return WaitFacts(call, info, average_ns, for_threads=for_threads)
        if info.kind is ObjectKind.NONE:
            return WaitFacts(call, info, for_children=is_for_children(self._snapshot, wait))
        bytes_out = self._bytes_to(wait.object) if info.kind is ObjectKind.UDP else 0
        return WaitFacts(call, info, bytes_out=bytes_out)

    def _average_ns(self, wait: Wait) -> int:
        sums = sums_of_waits(self._snapshot).get(wait, NO_SUMS)
        number, spent_ns = self._in_progress.get(wait, (0, 0))
        waits = sums.waits + number
        if waits:
            return (sums.waiting_ns + spent_ns) // waits
        # The thread ended in the call, so it is in its times only.
        if self._longest is None:
            self._longest = {}
            for tally in self._snapshot.sums.threads.values():
                for each, spent_ns in tally.times.waiting.items():
                    self._longest[each] = max(self._longest.get(each, 0), spent_ns)
        return self._longest.get(wait, 0)

    def _waits_for_threads(self) -> frozenset[Wait]:
        """Return the waits for a futex that are within work however long they take."""
        if self._for_threads is None:
            self._for_threads = waits_for_threads(
                self._snapshot, lambda wait: self[wait].state is TimeState.IDLE
            )
        return self._for_threads

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


@frozen
class Judge:
    """The judgements on all waits of a snapshot."""

    _known: _Judgements

    def __call__(self, wait: tuple[int, str]) -> Judgement:
        """Return the judgement on the waits for an object in a call."""
        return self._known[wait]

    def is_for_threads(self, wait: Wait) -> bool:
        """Return whether the main thread, or every thread of a process, waits for others."""
        return self._known[wait].reason == FOR_THREADS.reason

    def is_for_children(self, wait: Wait) -> bool:
        """Return whether a poll waits for child processes."""
        return self._known[wait].reason == FOR_CHILDREN.reason

    def is_idle(self, wait: tuple[int, str]) -> bool:
        """Return whether the waits for an object in a call are idle."""
        return self._known[wait].state is TimeState.IDLE


@once_per_snapshot
def _judge_of(snapshot: Snapshot) -> Judge:
    return Judge(_Judgements(snapshot))


def judge_of(snapshot: Snapshot) -> Judge:
    """Return the judge of a snapshot, which considers the whole trace."""
    return _judge_of(snapshot.whole)
