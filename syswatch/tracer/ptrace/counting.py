"""Counting a call on its object: part of the hot path."""

from collections.abc import Callable
from typing import Any

from syswatch.model.errnos import errno_name
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.objects.ways import MSG_PEEK, bytes_moved

from .abi import read_arguments
from .calls import RESTART_LATER, CallKind, Return
from .recorder import Recorder
from .threads import SumsKey, Thread

Count = Callable[[Recorder, Thread, CallKind, int, bool, int], object]


def count_on_object(  # noqa: PLR0913  no object is made for a call that is only counted
    recorder: Recorder,
    thread: Thread,
    call: CallKind,
    result: int,
    failed: bool,  # noqa: FBT001
    now_ns: int,
) -> Any:
    """Count a call that has returned; return its row."""
    duration_ns = now_ns - thread.entered_ns
    key: SumsKey = call
    if call.found_at_entry:
        key = (call, thread.object)
    elif call.acts:
        key = (call, object_at_exit(recorder, thread, call, result, failed))
    sums: Any = thread.rows.get(key) or recorder.new_sums(thread, key)
    if failed:
        sums.add(errno_name(result), duration_ns)
        if result == RESTART_LATER:
            thread.restarted = call
    else:
        sums.durations.append(duration_ns)
        if call.moves:
            sums.moved += moved_by(thread, call, result)
    if failed or recorder.log_quota > 0 or duration_ns >= call.bound_ns:
        recorder.keep_timed(thread, call, sums, Return(result, failed, now_ns))
    return sums


def moved_by(thread: Thread, call: CallKind, result: int) -> int:
    """Return how many bytes a call has moved whose result is their number."""
    return 0 if leaves_in_place(thread, call) else bytes_moved(result)


def leaves_in_place(thread: Thread, call: CallKind) -> bool:
    """Return whether a call has only looked at what it has received."""
    return call.flags_at >= 0 and bool(read_arguments(thread.entry)[call.flags_at] & MSG_PEEK)


def count_for(recorder: Recorder) -> Count | None:
    """Return how calls are counted, None if only their durations are needed."""
    if recorder.events is not None:
        base: Count = recorder.events.count
    elif recorder.activity is None and recorder.evidence is None:
        return None
    else:
        base = count_on_object
    return base if recorder.evidence is None else recorder.evidence.counting(base)


def object_at_entry(recorder: Recorder, thread: Thread, call: CallKind) -> int:
    """Return the object of a descriptor that is not in its table, or that the call closes."""
    if recorder.activity is None:
        return NO_OBJECT
    subjects = recorder.activity.subjects
    if call.closes_first:
        return subjects.closing(thread)
    return subjects.fd_object(thread.tid, thread.first.value, is_first=True)


def object_at_exit(
    recorder: Recorder,
    thread: Thread,
    call: CallKind,
    result: int,
    failed: bool,  # noqa: FBT001
) -> int:
    """Return the object of a call that was not known at its entry."""
    if recorder.activity is None:
        return NO_OBJECT
    subjects, returned = recorder.activity.subjects, Return(result, failed)
    if call.opens_path and subjects.follows_tables:
        return subjects.paths.opened(thread, call, returned)
    if call.names_path and subjects.follows_tables:
        return subjects.paths.named(thread, call)
    return subjects.returned(subjects.observe(thread, call, returned))
