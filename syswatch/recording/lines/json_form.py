"""Calls as JSON, an object on each line; keys are the columns of recordings where there is one."""

from typing import Final

import attrs
import msgspec
from msgspec import UNSET, UnsetType

from syswatch.base.classes import define
from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import UNFINISHED_NS, Flag
from syswatch.model.errnos import errno_name

from .call_texts import CallTexts, Read
from .form import AFTER, ARGUMENTS, BEFORE, Event

_encode: Final = msgspec.json.Encoder().encode


class Call(msgspec.Struct, frozen=True, tag="call", tag_field="type"):
    """A call; times are in nanoseconds, the start is since the epoch."""

    start: int
    # Null if it has not returned, or began before the trace.
    duration: int | None
    waiting: int
    ready: int
    waited: bool
    pid: int
    tid: int
    name: str
    # As strace shows them; null with --no-args.
    args: str | None
    ret: str | None
    # A negated errno if the call failed; null if it has not returned.
    result: int | None
    errno: str | None
    # Bytes that it read or wrote.
    bytes: int
    # Only if it is an estimate.
    estimated: bool | UnsetType = UNSET


class End(msgspec.Struct, frozen=True, tag="end", tag_field="type"):
    """The end of a process; either its exit status or the signal that killed it is null."""

    end: int
    pid: int
    exit_code: int | None
    exit_signal: int | None


class Missing(msgspec.Struct, frozen=True, tag="missing", tag_field="type"):
    """Calls that are missing at this place; they ended in this second since the epoch."""

    second: int
    tid: int
    count: int


@define
class JSONForm:
    """An object in JSON on each line."""

    _texts: CallTexts = attrs.field(factory=CallTexts, init=False)

    def call(self, event: Event, read: Read | None) -> str:
        """Return the line of a call."""
        start_ns, duration_ns, waiting_ns, ready_ns, _, result, moved = event[BEFORE]
        pid, tid, number, place, flags = event[AFTER]
        name = self._texts.name(place, number)
        shown, outcome = self._texts.texts(name, event[ARGUMENTS], result, flags, read)
        has_returned = duration_ns != UNFINISHED_NS
        is_timed = has_returned and not flags & Flag.UNTIMED
        call = Call(
            start=start_ns,
            duration=duration_ns if is_timed else None,
            waiting=waiting_ns,
            ready=ready_ns,
            waited=bool(flags & Flag.WAITED),
            pid=pid,
            tid=tid,
            name=name.shown,
            args=None if flags & Flag.NO_ARGUMENTS else shown,
            ret=outcome if has_returned else None,
            result=result if has_returned else None,
            errno=errno_name(result) if flags & Flag.FAILED and has_returned else None,
            bytes=moved,
            estimated=True if flags & Flag.ESTIMATED else UNSET,
        )
        return _encode(call).decode()

    def ending(self, life: Life, time_ns: int) -> str:
        """Return the line about the end of a process."""
        return _encode(End(time_ns, life.pid, life.exit_code, life.exit_signal)).decode()

    def loss(self, loss: Loss) -> str:
        """Return the line that marks where calls are missing."""
        return _encode(Missing(loss.second, loss.tid, loss.calls)).decode()
