"""The alert `blocked`: threads have been waiting in one call for long, and not for work."""

from collections.abc import Iterator, Sequence

from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait
from syswatch.model.times import SECOND_NS
from syswatch.views.budget.in_progress import Current, in_progress
from syswatch.views.budget.names import object_name
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import long_duration

from .alert import Alert, Rule, Severity
from .culprits import Culprit

KIND = "blocked"
LONG_S = 5
# Of more groups, only those that have waited longest are shown.
MOST_GROUPS = 10
_LONGEST_ARGUMENTS = 120
# A program that sleeps or waits for a command does so on purpose.
_DELIBERATE = frozenset({ObjectKind.SLEEP, ObjectKind.CHILD})
_OTHERWISE = "If this is a wait for work, declare that with --idle."
_PEER = f"The peer has not answered: see what it is doing. {_OTHERWISE}"
_ADVICE = {
    **dict.fromkeys((ObjectKind.TCP, ObjectKind.UDP, ObjectKind.UNIX), _PEER),
    **dict.fromkeys(
        (ObjectKind.FILE, ObjectKind.DIRECTORY, ObjectKind.PATH, ObjectKind.DEVICE),
        "The disk or the file system is slow, or another process has locked the file.",
    ),
    ObjectKind.PIPE: "The process at the other end has not written, or has not read.",
    ObjectKind.FUTEX: "Another thread holds the lock, or has not signalled.",
    ObjectKind.CHILD: "Harmless while the child has work to do: see what that is.",
    ObjectKind.SLEEP: "The program has asked for this.",
}
_WORDS = {ObjectKind.SLEEP: "of", ObjectKind.CHILD: "for"}


def _find(snapshot: Snapshot) -> Iterator[Alert]:
    groups: dict[Wait, list[Current]] = {}
    for each in in_progress(snapshot):
        if each.state is TimeState.BLOCKED and each.least_ns >= LONG_S * SECOND_NS:
            wait = Wait(each.thread.object, each.thread.call)
            groups.setdefault(wait, []).append(each)
    # They are in the order of their time, the longest first.
    for wait, threads in list(groups.items())[:MOST_GROUPS]:
        yield _alert(wait, threads)


def _alert(wait: Wait, threads: Sequence[Current]) -> Alert:
    longest = threads[0]
    info = longest.info
    spent = long_duration(longest.least_ns)
    if longest.spent_ns is None:
        spent = f"at least {spent}"
    elif len(threads) > 1:
        spent = f"up to {spent}"
    number = "Blocked" if len(threads) == 1 else f"{len(threads)} threads blocked"
    target = f" on {object_name(info)}"
    if info.kind is ObjectKind.NONE:
        target = ""
    elif info.kind in _WORDS and info.name:
        target = f" {_WORDS[info.kind]} {info.name}"
    return Alert(
        Severity.NOTICE if info.kind in _DELIBERATE else Severity.WARNING,
        KIND,
        f"{number} for {spent} in {wait.call}{target}",
        f"{_thread(longest)}. {_ADVICE.get(info.kind, _OTHERWISE)}",
        wait.call,
        path=Culprit.of(wait.object, info).path,
        object=wait.object,
    )


def _thread(current: Current) -> str:
    """Return which thread it is and the call as strace prints it."""
    thread, args = current.thread, current.thread.args
    if len(args) > _LONGEST_ARGUMENTS:
        args = f"{args[:_LONGEST_ARGUMENTS]}…"
    return f"Thread {current.tid} {thread.comm}".rstrip() + f": {thread.call}({args})"


RULE = Rule(
    KIND,
    (Severity.WARNING, Severity.NOTICE),
    f"A thread has been waiting in one call for {LONG_S} seconds or more, and the wait is blocked, "
    "not idle. Threads that wait for the same object in the same call are one alert. A sleep and a "
    "wait for a child are a notice.",
    "When the program has to wait that long; if it waits for work, declare that with --idle.",
    _find,
)
