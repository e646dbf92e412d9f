"""What each thread is doing at present."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.times import SECOND_NS

from .calls import CallKind
from .states import State
from .threads import Thread

if TYPE_CHECKING:
    from .activity import Activity

# Reports of more threads are made once a second.
_FEW_THREADS = 50
# The arguments of so many calls are formatted for one report; the others have to wait.
_MOST_FORMATTED = 100
# Shorter calls have returned before a report is read.
_LONG_ENOUGH_NS = 1_000_000


@define
class InProgress:
    """Reports all threads with their calls."""

    # The arguments of calls that go on, by thread, with the time when each call began.
    _texts: dict[int, tuple[int, str]] = attrs.field(factory=dict, init=False)
    _at_ns: int = attrs.field(default=0, init=False)

    def report(
        self,
        activity: "Activity",
        now_ns: int,
        offset_ns: int,
        text_of: Callable[[Thread, CallKind], str],
    ) -> Now:
        """Return a report of all threads, or an empty one if none is due."""
        threads = tuple(activity.threads)
        if len(threads) > _FEW_THREADS and now_ns - self._at_ns < SECOND_NS:
            return Now()
        self._at_ns = now_ns
        texts: dict[int, tuple[int, str]] = {}
        formatted = 0
        report = {}
        for thread in threads:
            call = thread.call
            if call is None:
                report[thread.tid] = _outside(activity, thread)
                continue
            begun_ns, text = self._texts.get(thread.tid, (0, ""))
            if begun_ns != thread.entered_ns:
                is_long = now_ns - thread.entered_ns >= _LONG_ENOUGH_NS
                text = text_of(thread, call) if is_long and formatted < _MOST_FORMATTED else ""
                formatted += bool(text)
            if text:
                texts[thread.tid] = thread.entered_ns, text
            report[thread.tid] = _in_call(activity, thread, call, offset_ns, text)
        self._texts = texts
        return Now(now_ns + offset_ns, report)


def _outside(activity: "Activity", thread: Thread) -> ThreadNow:
    return ThreadNow(thread.process.pid, activity.redact(thread.comm), thread.doing)


def _in_call(
    activity: "Activity", thread: Thread, call: CallKind, offset_ns: int, text: str
) -> ThreadNow:
    subjects = activity.subjects
    is_dated = thread.state is State.IN_CALL
    return ThreadNow(
        thread.process.pid,
        activity.redact(thread.comm),
        Doing.IN_CALL,
        call.name,
        thread.entered_ns + offset_ns if is_dated else None,
        thread.account is not None and thread.account.waits_since == thread.entered_ns,
        subjects.begun(subjects.observe(thread, call)),
        text,
    )
